/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the driver.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM arm_ete

#if !defined(_ARM_ETE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _ARM_ETE_TRACE_H

#include <linux/tracepoint.h>

#include "trbe_window.h"

TRACE_EVENT(arm_ete_session_begin, TP_PROTO(int cpu, u64 from, u64 room, u64 trigger),
	    TP_ARGS(cpu, from, room, trigger),
	    TP_STRUCT__entry(__field(int, cpu)
			     __field(u64, from)
			     __field(u64, room)
			     __field(u64, trigger)),
	    TP_fast_assign(__entry->cpu = cpu;
			   __entry->from = from;
			   __entry->room = room;
			   __entry->trigger = trigger;),
	    TP_printk("cpu=%d from=%llu room=%llu trigger=%llu", __entry->cpu, __entry->from,
		      __entry->room, __entry->trigger));

TRACE_EVENT(arm_ete_session_end, TP_PROTO(int cpu, u64 bytes, u64 flags),
	    TP_ARGS(cpu, bytes, flags),
	    TP_STRUCT__entry(__field(int, cpu)
			     __field(u64, bytes)
			     __field(u64, flags)),
	    TP_fast_assign(__entry->cpu = cpu;
			   __entry->bytes = bytes;
			   __entry->flags = flags;),
	    TP_printk("cpu=%d bytes=%llu flags=%#llx", __entry->cpu, __entry->bytes,
		      __entry->flags));

DECLARE_EVENT_CLASS(arm_ete_status, TP_PROTO(int cpu, u64 status), TP_ARGS(cpu, status),
		    TP_STRUCT__entry(__field(int, cpu)
				     __field(u64, status)),
		    TP_fast_assign(__entry->cpu = cpu;
				   __entry->status = status;),
		    TP_printk("cpu=%d status=%#llx", __entry->cpu, __entry->status));

DEFINE_EVENT(arm_ete_status, arm_ete_interrupt, TP_PROTO(int cpu, u64 status),
	     TP_ARGS(cpu, status));

DEFINE_EVENT(arm_ete_status, arm_ete_loss, TP_PROTO(int cpu, u64 status), TP_ARGS(cpu, status));

TRACE_EVENT(arm_ete_refusal, TP_PROTO(int cpu), TP_ARGS(cpu),
	    TP_STRUCT__entry(__field(int, cpu)),
	    TP_fast_assign(__entry->cpu = cpu;),
	    TP_printk("cpu=%d", __entry->cpu));

/*
 * Offsets are from the start of the AUX area; read and counter are TRBPTR_EL1 and TRBTRG_EL1, read
 * back after the writes
 */
TRACE_EVENT(arm_ete_program,
	    TP_PROTO(int cpu, const struct trbe_window *window, u64 trigger, u64 read,
		     u64 counter),
	    TP_ARGS(cpu, window, trigger, read, counter),
	    TP_STRUCT__entry(__field(int, cpu)
			     __field(u64, base)
			     __field(u64, write)
			     __field(u64, limit)
			     __field(u64, trigger)
			     __field(u64, read)
			     __field(u64, counter)),
	    TP_fast_assign(__entry->cpu = cpu;
			   __entry->base = window->base;
			   __entry->write = window->write;
			   __entry->limit = window->limit;
			   __entry->trigger = trigger;
			   __entry->read = read;
			   __entry->counter = counter;),
	    TP_printk("cpu=%d base=%llu write=%llu limit=%llu trigger=%llu read=%llu counter=%llu",
		      __entry->cpu, __entry->base, __entry->write, __entry->limit,
		      __entry->trigger, __entry->read, __entry->counter));

/* TRBSR_EL1, TRBPTR_EL1 as an offset into the AUX area, and TRBTRG_EL1; the buffer is disabled */
TRACE_EVENT(arm_ete_stop, TP_PROTO(int cpu, u64 status, u64 pointer, u64 counter),
	    TP_ARGS(cpu, status, pointer, counter),
	    TP_STRUCT__entry(__field(int, cpu)
			     __field(u64, status)
			     __field(u64, pointer)
			     __field(u64, counter)),
	    TP_fast_assign(__entry->cpu = cpu;
			   __entry->status = status;
			   __entry->pointer = pointer;
			   __entry->counter = counter;),
	    TP_printk("cpu=%d status=%#llx pointer=%llu counter=%llu", __entry->cpu,
		      __entry->status, __entry->pointer, __entry->counter));

#endif /* _ARM_ETE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE arm_ete_trace
#include <trace/define_trace.h>
