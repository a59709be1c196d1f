#pragma once
#include <graft/session/output_difference.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

/// Times configurations of sessions in a runtime. It is apart from the search, which is the same for the same times,
/// whoever takes them.
class SessionBench {
 public:
  virtual ~SessionBench() = default;
  /// Makes a session, runs it and compares its outputs. The default is the first to be opened. Throws Error where the
  /// runtime refuses that.
  virtual OutputDifference open(const SessionConfig& config) = 0;
  /// The objective in seconds, less is better, of a short block of runs in the session. Throws Error where one fails.
  virtual double time(const SessionConfig& config) = 0;
  /// Frees the session, if there is one.
  virtual void close(const SessionConfig& config) = 0;
  /// Seconds since the bench was made.
  virtual double elapsed() const = 0;

 protected:
  SessionBench() = default;
  SessionBench(const SessionBench&) = default;
  SessionBench& operator=(const SessionBench&) = default;
};

}  // namespace graft::inline v1
