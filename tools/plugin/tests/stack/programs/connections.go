// SPDX-License-Identifier: GPL-2.0-only

// Goroutines of a server: workers that wait for channels, connections that wait for the network, a timer, and a process
// that cannot be started.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"
)

//go:noinline
func step(value int) int {
	return value * 3
}

//go:noinline
func work(steps int) int {
	sum := 0
	for i := 0; i < steps; i++ {
		sum += step(i)
	}
	return sum
}

func worker(in <-chan int, out chan<- int, group *sync.WaitGroup) {
	defer group.Done()
	for steps := range in {
		out <- work(steps)
	}
}

func pool() int {
	var group sync.WaitGroup

	in, out := make(chan int), make(chan int, 4)
	for i := 0; i < 8; i++ {
		group.Add(1)
		go worker(in, out, &group)
	}
	go func() {
		for i := 0; i < 200; i++ {
			in <- i % 50
		}
		close(in)
		group.Wait()
		close(out)
	}()
	sum := 0
	for value := range out {
		sum += value
		if value == step(3) {
			time.Sleep(time.Millisecond)
		}
	}
	return sum
}

func serve(connection net.Conn) {
	buffer := make([]byte, 100)
	for {
		size, err := connection.Read(buffer)
		if err != nil {
			connection.Close()
			return
		}
		work(size)
		connection.Write(buffer[:size])
	}
}

func accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go serve(connection)
	}
}

func client(name string, group *sync.WaitGroup) {
	defer group.Done()
	connection, err := net.Dial("unix", name)
	expect(err == nil, "connected")
	buffer := make([]byte, 100)
	for i := 0; i < 20; i++ {
		connection.Write([]byte("hello"))
		size, _ := connection.Read(buffer)
		expect(size == 5, "echo")
		work(size)
	}
	connection.Close()
}

func expect(good bool, text string) {
	if !good {
		fmt.Println("failed:", text)
		os.Exit(1)
	}
}

func main() {
	var group sync.WaitGroup

	expect(pool() == 235200, "pool")
	name := fmt.Sprintf("/tmp/connections-%d", os.Getpid())
	listener, err := net.Listen("unix", name)
	expect(err == nil, "listening")
	go accept(listener)
	for i := 0; i < 6; i++ {
		group.Add(1)
		go client(name, &group)
	}
	group.Wait()
	listener.Close()
	expect(exec.Command("/none").Run() != nil, "no such file")
	fmt.Println("connections: good")
}
