#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph/model.hpp>

/// The mean and the standard deviation of each of the dims()[1] channels.
struct ChannelMoments {
  std::vector<float> mean, deviation;

  explicit ChannelMoments(const graft::Tensor& x) {
    const auto channels = static_cast<std::size_t>(x.dims()[1]);
    const std::size_t rows = x.data<float>().size() / inner(x);
    std::vector<double> sum(channels), squares(channels);
    const float* value = x.data<float>().data();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < inner(x); ++i, ++value) {
        sum[row % channels] += *value;
        squares[row % channels] += double{*value} * *value;
      }
    }
    const double count = static_cast<double>(x.data<float>().size() / channels);
    for (std::size_t c = 0; c < channels; ++c) {
      const double average = sum[c] / count;
      mean.push_back(static_cast<float>(average));
      deviation.push_back(static_cast<float>(std::sqrt(std::max(0.0, squares[c] / count - average * average))));
    }
  }

  static std::size_t inner(const graft::Tensor& x) {
    std::size_t size = 1;
    for (std::size_t i = 2; i < x.rank(); ++i) size *= static_cast<std::size_t>(x.dims()[i]);
    return size;
  }
};

/// Gives random weights the behaviour of trained ones, averaged over the images f32[N, 3, size, size].
/// BatchNormalization gets the statistics of its input, and each channel of a Conv with a bias gets the mean 1 and the
/// variance 1. Around a mean of 0, a network of random weights is chaotic, and small errors grow from layer to layer.
/// Scores get the mean 0. If an image has one value for a channel, as behind a global pool, its variance is not
/// changed. Mishkin and Matas, All You Need Is a Good Init (2015).
class Standardizer {
 public:
  explicit Standardizer(graft::Model& model) : model_(model), kernels_(graft::Kernels::standard()) {
    for (const char* const op : {"Conv", "Gemm"})
      kernels_.add(op, [this, kernel = standard(op)](graft::KernelContext& c) { product(c, kernel); });
    kernels_.add("BatchNormalization", [this, kernel = standard("BatchNormalization")](graft::KernelContext& c) {
      normalization(c, kernel);
    });
  }

  void run(const graft::Tensor& images) {
    const graft::Graph& graph = model_.graph();
    graft::Evaluator(graph, kernels_).run({{graph.inputs().front(), images}});
    for (auto& [name, tensor] : weights_) model_.graph().set_initializer(*model_.graph().find(name), std::move(tensor));
    model_.commit();
  }

 private:
  static graft::Kernel standard(const char* op) { return *graft::Kernels::standard().find("", op, 17); }
  static graft::Tensor result(const graft::Node& node, std::vector<graft::Tensor> inputs, const graft::Kernel& kernel) {
    std::vector<graft::Tensor> outputs(1);
    graft::KernelContext context(node, inputs, outputs);
    kernel(context);
    return outputs.front();
  }

  void product(graft::KernelContext& c, const graft::Kernel& kernel) {
    std::vector<graft::Tensor> inputs(c.inputs().begin(), c.inputs().end());
    graft::Tensor y = result(c.node(), inputs, kernel);
    if (inputs.size() == 3) {
      ChannelMoments moments(y);
      const std::size_t channels = moments.mean.size();
      if (ChannelMoments::inner(y) == 1) moments.deviation.assign(channels, 1);
      std::vector<float> weight = inputs[1].to<float>(), bias = inputs[2].to<float>();
      for (std::size_t i = 0; i < weight.size(); ++i) weight[i] /= moments.deviation[i / (weight.size() / channels)];
      const float mean = c.node().is("Conv") ? 1 : 0;
      for (std::size_t i = 0; i < channels; ++i)
        bias[i] = (bias[i] - moments.mean[i]) / moments.deviation[i] + mean;
      inputs[1] = keep(c.node(), 1, weight);
      inputs[2] = keep(c.node(), 2, bias);
      y = result(c.node(), inputs, kernel);
    }
    c.set_output(0, std::move(y));
  }

  void normalization(graft::KernelContext& c, const graft::Kernel& kernel) {
    std::vector<graft::Tensor> inputs(c.inputs().begin(), c.inputs().end());
    ChannelMoments moments(inputs[0]);
    for (float& deviation : moments.deviation) deviation *= deviation;
    inputs[3] = keep(c.node(), 3, moments.mean);
    inputs[4] = keep(c.node(), 4, moments.deviation);
    c.set_output(0, result(c.node(), inputs, kernel));
  }

  graft::Tensor keep(const graft::Node& node, std::size_t input, const std::vector<float>& values) {
    const graft::Value& value = *node.input(input);
    graft::Tensor tensor = graft::Tensor::of<float>(value.constant()->dims(), values);
    weights_.insert_or_assign(std::string(value.name()), tensor);
    return tensor;
  }

  graft::Model& model_;
  graft::Kernels kernels_;
  std::map<std::string, graft::Tensor> weights_;
};
