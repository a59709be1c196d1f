#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Runs copies in which a few layers are quantized and all others are in float, each from the first changed node on. It
/// is fastest if layers come in the order of the graph.
class LayersAlone {
 public:
  using Names = std::set<std::string, std::less<>>;
  using Visit = std::function<void(std::size_t sample, std::span<const Tensor> outputs)>;

  /// all: the layers. The feeds of samples are by name.
  LayersAlone(const Requantizer& requantizer, Names all, std::vector<Feeds> samples, ExecutorFactory make_executor);

  /// Whether quantizing these changes anything.
  bool is_changed_by(const Names& quantized) const;
  /// Calls visit with the measured outputs of each sample when these are quantized. Returns false if they change
  /// nothing.
  bool run(const Names& quantized, const Visit& visit);

 private:
  Model copy(const Names& quantized) const;

  const Requantizer& requantizer_;
  Names all_;
  ExecutorFactory make_executor_;
  Model none_;  // no layer is quantized
  AnyExecutor executor_;
  LiveValues live_;
  Frontier start_, here_;
};

/// A layer, and the noise that it adds to the outputs when only this layer is quantized.
struct NoisyLayer {
  std::string node;
  double noise = 0;
};

/// The noise of each layer, in the order of the graph. If there are many layers, neighbours are measured in groups, and
/// the members of a group get equal shares. The members of the noisiest groups are measured one by one. So there are
/// about `usual_measurements` measurements at most.
///
/// noise_of: the noise if only these layers are quantized; told: gets the number of finished measurements, and the
/// total.
std::vector<double> noises_of_layers(std::span<const std::string> layers,
                                     const std::function<double(std::span<const std::string>)>& noise_of,
                                     const std::function<void(std::size_t done, std::size_t total)>& told);
inline constexpr std::size_t usual_measurements = 192;

/// Ranks the layers in the order in which a rising price of noise turns them back to float. Layers with the same price,
/// and those that no price turns back, are ordered by noise, the noisiest first. quantized_at: the layers that are
/// quantized at a price. It is called a few dozen times, and not after the context is cancelled.
std::vector<std::string> rank(std::vector<NoisyLayer> layers,
                              const std::function<std::set<std::string, std::less<>>(double price)>& quantized_at,
                              const Context& context);

}  // namespace graft::inline v1::detail
