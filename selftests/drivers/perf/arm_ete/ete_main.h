/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last line of a test: the harness's main(), after ete_options() has read the options of these
 * tests.
 */
#define main ete_harness
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	ete_options(&argc, argv);
	return ete_harness(argc, argv);
}
