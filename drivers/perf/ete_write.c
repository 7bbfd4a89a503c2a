// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a register of the trace unit by its number. A System register's encoding is part of the
 * instruction, so each register has an instruction of its own.
 */
#include "ete_config.h"

/**
 * ete_unit_write() - write a register of this CPU's trace unit
 * @reg: which; enum ete_reg
 * @value: the value
 */
void ete_unit_write(unsigned int reg, u64 value)
{
	switch (reg) {
	case ETE_TRCCONFIGR:
		ete_write(value, 0x010);
		break;
	case ETE_TRCEVENTCTL0R:
		ete_write(value, 0x020);
		break;
	case ETE_TRCEVENTCTL1R:
		ete_write(value, 0x024);
		break;
	case ETE_TRCRSR:
		ete_write(value, 0x028);
		break;
	case ETE_TRCSTALLCTLR:
		ete_write(value, 0x02c);
		break;
	case ETE_TRCTSCTLR:
		ete_write(value, 0x030);
		break;
	case ETE_TRCSYNCPR:
		ete_write(value, 0x034);
		break;
	case ETE_TRCCCCTLR:
		ete_write(value, 0x038);
		break;
	case ETE_TRCBBCTLR:
		ete_write(value, 0x03c);
		break;
	case ETE_TRCQCTLR:
		ete_write(value, 0x044);
		break;
	case ETE_TRCVICTLR:
		ete_write(value, 0x080);
		break;
	case ETE_TRCVIIECTLR:
		ete_write(value, 0x084);
		break;
	case ETE_TRCVISSCTLR:
		ete_write(value, 0x088);
		break;
	case ETE_TRCVIPCSSCTLR:
		ete_write(value, 0x08c);
		break;
	case ETE_TRCSEQEVR + 0:
		ete_write(value, 0x100);
		break;
	case ETE_TRCSEQEVR + 1:
		ete_write(value, 0x104);
		break;
	case ETE_TRCSEQEVR + 2:
		ete_write(value, 0x108);
		break;
	case ETE_TRCSEQRSTEVR:
		ete_write(value, 0x118);
		break;
	case ETE_TRCSEQSTR:
		ete_write(value, 0x11c);
		break;
	case ETE_TRCEXTINSELR + 0:
		ete_write(value, 0x120);
		break;
	case ETE_TRCEXTINSELR + 1:
		ete_write(value, 0x124);
		break;
	case ETE_TRCEXTINSELR + 2:
		ete_write(value, 0x128);
		break;
	case ETE_TRCEXTINSELR + 3:
		ete_write(value, 0x12c);
		break;
	case ETE_TRCCNTRLDVR + 0:
		ete_write(value, 0x140);
		break;
	case ETE_TRCCNTRLDVR + 1:
		ete_write(value, 0x144);
		break;
	case ETE_TRCCNTRLDVR + 2:
		ete_write(value, 0x148);
		break;
	case ETE_TRCCNTRLDVR + 3:
		ete_write(value, 0x14c);
		break;
	case ETE_TRCCNTCTLR + 0:
		ete_write(value, 0x150);
		break;
	case ETE_TRCCNTCTLR + 1:
		ete_write(value, 0x154);
		break;
	case ETE_TRCCNTCTLR + 2:
		ete_write(value, 0x158);
		break;
	case ETE_TRCCNTCTLR + 3:
		ete_write(value, 0x15c);
		break;
	case ETE_TRCCNTVR + 0:
		ete_write(value, 0x160);
		break;
	case ETE_TRCCNTVR + 1:
		ete_write(value, 0x164);
		break;
	case ETE_TRCCNTVR + 2:
		ete_write(value, 0x168);
		break;
	case ETE_TRCCNTVR + 3:
		ete_write(value, 0x16c);
		break;
	case ETE_TRCRSCTLR + 0:
		ete_write(value, 0x208);
		break;
	case ETE_TRCRSCTLR + 1:
		ete_write(value, 0x20c);
		break;
	case ETE_TRCRSCTLR + 2:
		ete_write(value, 0x210);
		break;
	case ETE_TRCRSCTLR + 3:
		ete_write(value, 0x214);
		break;
	case ETE_TRCRSCTLR + 4:
		ete_write(value, 0x218);
		break;
	case ETE_TRCRSCTLR + 5:
		ete_write(value, 0x21c);
		break;
	case ETE_TRCRSCTLR + 6:
		ete_write(value, 0x220);
		break;
	case ETE_TRCRSCTLR + 7:
		ete_write(value, 0x224);
		break;
	case ETE_TRCACVR + 0:
		ete_write(value, 0x400);
		break;
	case ETE_TRCACVR + 1:
		ete_write(value, 0x408);
		break;
	case ETE_TRCACVR + 2:
		ete_write(value, 0x410);
		break;
	case ETE_TRCACVR + 3:
		ete_write(value, 0x418);
		break;
	case ETE_TRCACVR + 4:
		ete_write(value, 0x420);
		break;
	case ETE_TRCACVR + 5:
		ete_write(value, 0x428);
		break;
	case ETE_TRCACVR + 6:
		ete_write(value, 0x430);
		break;
	case ETE_TRCACVR + 7:
		ete_write(value, 0x438);
		break;
	case ETE_TRCACVR + 8:
		ete_write(value, 0x440);
		break;
	case ETE_TRCACVR + 9:
		ete_write(value, 0x448);
		break;
	case ETE_TRCACVR + 10:
		ete_write(value, 0x450);
		break;
	case ETE_TRCACVR + 11:
		ete_write(value, 0x458);
		break;
	case ETE_TRCACVR + 12:
		ete_write(value, 0x460);
		break;
	case ETE_TRCACVR + 13:
		ete_write(value, 0x468);
		break;
	case ETE_TRCACVR + 14:
		ete_write(value, 0x470);
		break;
	case ETE_TRCACVR + 15:
		ete_write(value, 0x478);
		break;
	case ETE_TRCACATR + 0:
		ete_write(value, 0x480);
		break;
	case ETE_TRCACATR + 1:
		ete_write(value, 0x488);
		break;
	case ETE_TRCACATR + 2:
		ete_write(value, 0x490);
		break;
	case ETE_TRCACATR + 3:
		ete_write(value, 0x498);
		break;
	case ETE_TRCACATR + 4:
		ete_write(value, 0x4a0);
		break;
	case ETE_TRCACATR + 5:
		ete_write(value, 0x4a8);
		break;
	case ETE_TRCACATR + 6:
		ete_write(value, 0x4b0);
		break;
	case ETE_TRCACATR + 7:
		ete_write(value, 0x4b8);
		break;
	case ETE_TRCACATR + 8:
		ete_write(value, 0x4c0);
		break;
	case ETE_TRCACATR + 9:
		ete_write(value, 0x4c8);
		break;
	case ETE_TRCACATR + 10:
		ete_write(value, 0x4d0);
		break;
	case ETE_TRCACATR + 11:
		ete_write(value, 0x4d8);
		break;
	case ETE_TRCACATR + 12:
		ete_write(value, 0x4e0);
		break;
	case ETE_TRCACATR + 13:
		ete_write(value, 0x4e8);
		break;
	case ETE_TRCACATR + 14:
		ete_write(value, 0x4f0);
		break;
	case ETE_TRCACATR + 15:
		ete_write(value, 0x4f8);
		break;
	}
}
