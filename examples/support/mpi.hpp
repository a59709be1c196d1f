#pragma once
#include <cstdio>
#include <exception>
#include <optional>

#include <mpi.h>

#include <CLI/CLI.hpp>

/// This rank of MPI, among all.
struct Rank {
  int rank = 0, count = 1;
};

/// Parses the command line on all ranks. Returns the exit code if any of them cannot, or is asked for help: then none
/// runs, and the first of these has printed why.
template <class Check>
std::optional<int> code_of_usage(CLI::App& app, int argc, char** argv, const Check& check, const Rank& own) {
  const auto first_of = [](int rank) {
    int first = 0;
    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
  };
  try {
    app.parse(argc, argv);
    check();
  } catch (const CLI::ParseError& error) {
    const bool prints = first_of(own.rank) == own.rank;
    return (prints ? app.exit(error) : error.get_exit_code()) == 0 ? 0 : 2;
  }
  return first_of(own.count) == own.count ? std::nullopt : std::optional(2);
}

/// Parses the command line and calls run(rank), between MPI_Init and MPI_Finalize. Returns the exit code: 2 after wrong
/// usage, and 1 after an error. Either ends all ranks. check() throws CLI::ParseError for options that contradict.
template <class Check, class Run>
int run_ranks(CLI::App& app, int argc, char** argv, const Check& check, const Run& run) {
  MPI_Init(&argc, &argv);
  Rank own;
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own.count);
  int code = 0;
  try {
    if (const std::optional<int> usage = code_of_usage(app, argc, argv, check, own)) code = *usage;
    else run(own);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: rank %d: %s\n", app.get_name().c_str(), own.rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others would wait forever for this rank's message
    code = 1;
  }
  MPI_Finalize();
  return code;
}
