// SPDX-License-Identifier: GPL-2.0-only
// Panics that are caught, closures, trait objects, generic functions, threads, and drops that call.
use std::collections::BTreeMap;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::thread;

trait Shape {
    fn area(&self, depth: u32) -> u64;
}

struct Square(u64);
struct Pair(Box<dyn Shape>, Box<dyn Shape>);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, depth: u32) -> u64 {
        if depth % 7 == 3 {
            panic!("depth {}", depth);
        }
        self.0 * self.0
    }
}

impl Shape for Pair {
    #[inline(never)]
    fn area(&self, depth: u32) -> u64 {
        self.0.area(depth + 1) + self.1.area(depth + 2)
    }
}

struct Guard<'a>(&'a mut u64);

impl<'a> Drop for Guard<'a> {
    #[inline(never)]
    fn drop(&mut self) {
        *self.0 += fibonacci(5);
    }
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

#[inline(never)]
fn build(depth: u32) -> Box<dyn Shape> {
    if depth == 0 {
        Box::new(Square(3))
    } else {
        Box::new(Pair(build(depth - 1), build(depth - 1)))
    }
}

#[inline(never)]
fn guarded(shape: &dyn Shape, depth: u32, sum: &mut u64) -> u64 {
    let _guard = Guard(sum);
    shape.area(depth)
}

// A panic that goes on after one catch, and is caught by another
#[inline(never)]
fn twice(shape: &dyn Shape, depth: u32, sum: &mut u64) -> u64 {
    let caught = catch_unwind(AssertUnwindSafe(|| guarded(shape, depth, sum)));
    match caught {
        Ok(area) => area,
        Err(what) if depth % 2 == 0 => resume_unwind(what),
        Err(_) => fibonacci(7),
    }
}

#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    (0..n).map(|i| f(i)).sum()
}

fn work(seed: u32) -> u64 {
    let mut sum = 0;
    for round in 0..12 {
        let shape = build(round % 3);
        let caught = catch_unwind(AssertUnwindSafe(|| twice(&*shape, seed + round, &mut sum)));
        sum += caught.unwrap_or(1);
    }
    sum += apply(|i| fibonacci(i % 9), 40);
    let mut words = BTreeMap::new();
    for i in 0..200u64 {
        *words.entry(format!("w{}", i * 7919 % 61)).or_insert(0) += i;
    }
    let mut pairs: Vec<_> = words.into_iter().collect();
    pairs.sort_by(|a, b| b.1.cmp(&a.1));
    sum + pairs.iter().take(9).map(|p| p.1).sum::<u64>()
}

fn main() {
    let (send, receive) = channel();
    std::panic::set_hook(Box::new(|_| ()));
    let threads: Vec<_> = (0..3)
        .map(|i| {
            let send = send.clone();
            thread::spawn(move || send.send(work(i)).unwrap())
        })
        .collect();
    let mut sum = work(9);
    for thread in threads {
        thread.join().unwrap();
    }
    drop(send);
    sum += receive.iter().sum::<u64>();
    println!("{}", sum);
}
