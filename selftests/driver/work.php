<?php
// SPDX-License-Identifier: GPL-2.0-only
//
// In the machine, for guest/php.sh: functions that PHP compiles at run time.
function fib($n)
{
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

function sum($n)
{
	$sum = 0;
	for ($i = 0; $i < $n; $i++)
		$sum += $i % 7;
	return $sum;
}

function words($n)
{
	$words = [];
	for ($i = 0; $i < $n; $i++)
		$words[] = str_repeat(chr(97 + $i % 26), $i % 5);
	return strlen(implode(' ', $words));
}

echo fib(12), ' ', sum(1000), ' ', words(200), "\n";
