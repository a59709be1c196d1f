#include <cstdio>
#include <exception>

#include "models.hpp"
#include "passes.hpp"

int main() try {
  const std::string found = op_types(run_passes(make_model()));
  std::printf("%s\n", found.c_str());
  return found == "Relu" ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
