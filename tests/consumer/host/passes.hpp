#pragma once
#include <string>

/// Loads a model, rewrites, saves and reloads it; returns its bytes. Throws std::runtime_error if something fails.
std::string run_passes(const std::string& model);
