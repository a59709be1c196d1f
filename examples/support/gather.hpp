#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <graft/quantize.hpp>

#include "support/samples.hpp"

/// How a set of samples is run through a graph.
struct Gathering {
  std::size_t threads = 1;
  bool keep_going = false;  // past samples that cannot be read
};

/// What a part of the samples shows, and why some of them could not be read.
template <graft::Statistic S>
struct Part {
  explicit Part(graft::Statistics<S> start) : statistics(std::move(start)) {}

  graft::Statistics<S> statistics;
  std::vector<std::string> unreadable;

  void merge(const Part& later) {
    statistics.merge(later.statistics);
    unreadable.insert(unreadable.end(), later.unreadable.begin(), later.unreadable.end());
  }
};

/// Adds the samples [first, last) to the part, telling after each.
template <graft::Statistic S>
void gather_run(const graft::Evaluator& evaluator, const std::vector<const graft::Value*>& values,
                const Samples& samples, std::size_t first, std::size_t last, bool keep_going, Part<S>& part,
                const std::function<void()>& tell) {
  for (std::size_t i = first; i < last; ++i, tell()) {
    std::optional<graft::Sample> sample;
    try {
      sample = samples[i];
    } catch (const graft::Error& error) {
      if (!keep_going) throw;
      part.unreadable.emplace_back(error.what());
      const graft::SampleIdentity identity = samples.identity(i);
      part.statistics.seen.add(identity.index, identity.name);
      ++part.statistics.skipped;
      continue;
    }
    graft::observe(evaluator, *sample, values, part.statistics);
  }
}

/// Adds what all samples show of the values from the place on that the part has come to. They are taken block by block;
/// of each block every thread takes a run, and the runs are merged in order, so that their number changes nothing.
/// progress hears how many samples are done, from one thread at a time; after_block may save the part.
template <graft::Statistic S>
void gather(const graft::Graph& graph, const std::vector<const graft::Value*>& values, const Samples& samples,
            const Gathering& how, Part<S>& part, const std::function<void(std::size_t done)>& progress,
            const std::function<void()>& after_block = {}) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // else it grows, and each thread keeps what samples of many sizes have freed
#endif
  const graft::Evaluator evaluator(graph);
  const std::size_t run = 4;  // samples of a thread in a block
  std::size_t at = part.statistics.samples + part.statistics.skipped, done = at;
  std::mutex telling;
  const auto tell = [&] {
    const std::lock_guard lock(telling);
    progress(++done);
  };
  while (at < samples.size()) {
    const std::size_t end = std::min(samples.size(), at + how.threads * run);
    std::vector<Part<S>> parts(how.threads, Part<S>(graft::Statistics<S>(part.statistics.start())));
    std::vector<std::exception_ptr> failures(how.threads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < how.threads; ++t) {
      threads.emplace_back([&, t] {
        try {
          gather_run(evaluator, values, samples, std::min(end, at + t * run), std::min(end, at + (t + 1) * run),
                     how.keep_going, parts[t], tell);
        } catch (...) {
          failures[t] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t t = 0; t < how.threads; ++t) {
      if (failures[t]) std::rethrow_exception(failures[t]);
      part.merge(parts[t]);
    }
    at = end;
    if (after_block) after_block();
  }
}
