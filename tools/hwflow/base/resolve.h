/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that are resolved below a directory: neither ".." nor a symbolic link leaves it. */
#ifndef HWFLOW_RESOLVE_H
#define HWFLOW_RESOLVE_H

/**
 * resolve_open() - open a file below a directory, as if this directory were the root
 * @root: descriptor of the directory
 * @path: of the file; a slash at the beginning stands for @root
 * @flags: of open(2), without O_CREAT; O_CLOEXEC is added
 *
 * Uses openat2(2) with RESOLVE_IN_ROOT, or resolve_walk() where the kernel does not have it.
 *
 * Return: a descriptor, or -1 with errno set.
 */
int resolve_open(int root, const char *path, int flags);

/**
 * resolve_walk() - resolve_open() without openat2(2): each component is opened with O_NOFOLLOW
 *
 * Return: as resolve_open(); errno is ELOOP where there are more than 40 symbolic links.
 */
int resolve_walk(int root, const char *path, int flags);

#endif /* HWFLOW_RESOLVE_H */
