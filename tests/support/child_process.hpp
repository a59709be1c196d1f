#pragma once
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

/// How a child process ended, and what it left to say.
struct ChildEnd {
  int status = 0;
  std::string said;

  bool exited() const { return WIFEXITED(status); }
  int code() const { return exited() ? WEXITSTATUS(status) : -1; }
  int signal() const { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
};

/// Runs a function in a child process, whose limits, rights and mounts it may change: the exit code is what it returns,
/// and it says what an exception says, with code 1.
inline ChildEnd in_child(const std::function<int()>& work) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    std::string said;
    try {
      code = work();
    } catch (const std::exception& error) {
      said = error.what();
    }
    if (::write(pipe_ends[1], said.data(), said.size()) < 0) code = 2;
    ::_exit(code);
  }
  ::close(pipe_ends[1]);
  ChildEnd end;
  char some[256];
  for (ssize_t got = 0; (got = ::read(pipe_ends[0], some, sizeof some)) > 0;)
    end.said.append(some, static_cast<std::size_t>(got));
  ::close(pipe_ends[0]);
  ::waitpid(child, &end.status, 0);
  return end;
}
