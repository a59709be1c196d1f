// The bytes of FP32 weights that quantize_tensor() processes in a second, beside those that memcpy copies: first for a
// tensor larger than the caches, then for one that fits in the second level.
#include <cstring>
#include <optional>
#include <vector>

#include <benchmark/benchmark.h>

#include <graft/qdq.hpp>

namespace {

graft::Tensor weights(std::int64_t channels, std::int64_t length) {
  graft::Tensor tensor(graft::DType::f32, {channels, length});
  std::uint32_t state = 1;
  for (float& number : tensor.mutable_data<float>()) {
    state = state * 1664525 + 1013904223;
    number = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return tensor;
}

void copied(benchmark::State& state) {
  const graft::Tensor from = weights(state.range(0), state.range(1));
  std::vector<std::byte> to(from.bytes().size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.bytes().data(), to.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(to.size()));
}

void quantized(benchmark::State& state, std::optional<std::size_t> axis) {
  const graft::Tensor tensor = weights(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(graft::quantize_tensor(tensor, graft::DType::i8, axis));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tensor.bytes().size()));
}

void shapes(benchmark::internal::Benchmark* benchmark) { benchmark->Args({4096, 4608})->Args({128, 1152}); }

BENCHMARK(copied)->Apply(shapes);
BENCHMARK_CAPTURE(quantized, per_tensor, std::nullopt)->Apply(shapes);
BENCHMARK_CAPTURE(quantized, per_channel, 0)->Apply(shapes);
BENCHMARK_CAPTURE(quantized, per_column, 1)->Apply(shapes);  // the channels of a MatMul, which are interleaved

}  // namespace

BENCHMARK_MAIN();
