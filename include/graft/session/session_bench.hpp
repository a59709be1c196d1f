#pragma once
#include <graft/session/output_difference.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

/// Times configurations of sessions in a runtime. It is separate from the search, which depends on the times only.
class SessionBench {
 public:
  virtual ~SessionBench() = default;
  /// Opens a session, runs it and compares its outputs. The default must be opened first. Throws Error if the runtime
  /// rejects the default.
  virtual OutputDifference open(const SessionConfig& config) = 0;
  /// The objective of a short block of runs in the session, in seconds; less is better. Throws Error if a run fails.
  virtual double time(const SessionConfig& config) = 0;
  /// Frees the session, if it exists.
  virtual void close(const SessionConfig& config) = 0;
  /// Seconds since the bench was made.
  virtual double elapsed() const = 0;

 protected:
  SessionBench() = default;
  SessionBench(const SessionBench&) = default;
  SessionBench& operator=(const SessionBench&) = default;
};

}  // namespace graft::inline v1
