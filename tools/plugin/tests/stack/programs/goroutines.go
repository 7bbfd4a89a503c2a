// SPDX-License-Identifier: GPL-2.0-only

// Goroutines: a chain of generators, many that wait in one function with different callers, recursion that makes the
// runtime move their stacks, and panics that are recovered at varying levels.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
)

//go:noinline
func leaf(value int) int {
	return value
}

//go:noinline
func down(depth int) int {
	var room [64]int

	room[depth%64] = depth
	if depth == 0 {
		return leaf(0)
	}
	return down(depth-1) + leaf(1) + room[depth%64] - depth
}

func numbers(out chan<- int) {
	for i := 2; ; i++ {
		out <- leaf(i)
	}
}

func filter(in <-chan int, out chan<- int, prime int) {
	for {
		value := <-in
		if value%prime != 0 {
			out <- leaf(value)
		}
	}
}

//go:noinline
func wait(depth int) {
	if depth == 0 {
		runtime.Gosched()
		leaf(1)
		return
	}
	wait(depth - 1)
	if depth%2 == 0 {
		runtime.Gosched()
	}
	leaf(depth)
}

//go:noinline
func fail(depth int) int {
	if depth == 0 {
		panic("deep")
	}
	return fail(depth-1) + leaf(1)
}

//go:noinline
func levels(depth int) (result int) {
	defer func() {
		if depth%3 == 0 {
			if recover() != nil {
				result = leaf(depth)
			}
		}
		leaf(1)
	}()
	if depth == 0 {
		return fail(5)
	}
	result = levels(depth-1) + leaf(1)
	if depth%4 == 1 {
		fail(depth)
	}
	return result
}

func expect(good bool, text string) {
	if !good {
		fmt.Println("failed:", text)
		os.Exit(1)
	}
}

func main() {
	var group sync.WaitGroup

	channel := make(chan int)
	go numbers(channel)
	primes := 0
	for i := 0; i < 10; i++ {
		prime := <-channel
		primes += prime
		next := make(chan int)
		go filter(channel, next, prime)
		channel = next
	}
	expect(primes == 129, "primes")
	for i := 0; i < 40; i++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			wait(number % 13)
			expect(down(number*20) == number*20, "down")
			levels(number - number%3)
			wait(number % 5)
		}(i)
	}
	group.Wait()
	values := make([]int, 300)
	for i := range values {
		values[i] = i * 7919 % 1000
	}
	sort.Slice(values, func(i, j int) bool { return leaf(values[i]) < leaf(values[j]) })
	expect(sort.IntsAreSorted(values), "sorted")
	fmt.Println("goroutines: good")
}
