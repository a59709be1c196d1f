// Writes the pictures on which examples/data/train.py trains, as bytes.
//
//   draw_shapes FIRST COUNT >FILE
#include <cstdlib>
#include <iostream>

#include "shapes.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: draw_shapes FIRST COUNT >FILE\n", 2;
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  for (std::uint64_t number = first; number < first + count; ++number) {
    const std::vector<std::uint8_t> pixels = shapes::draw(number);
    std::cout.write(reinterpret_cast<const char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
  }
  return std::cout.flush() ? 0 : 1;
}
