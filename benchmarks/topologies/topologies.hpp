#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <graft/graph/tensor.hpp>

#include "mobilenetv2.hpp"
#include "topologies/bert.hpp"
#include "topologies/efficientnet_lite4.hpp"
#include "topologies/mobilenetv3_large.hpp"
#include "topologies/noise.hpp"
#include "topologies/random_words.hpp"
#include "topologies/resnet50v2.hpp"
#include "topologies/shuffle_detector.hpp"
#include "topologies/silu_detector.hpp"

struct Topology {
  std::string name;
  std::int64_t size;  // of the image, or the text
  std::function<graft::Model(std::int64_t size)> build;
  std::function<graft::Tensor(std::int64_t size, unsigned seed)> sample = structured_noise;
};

inline std::vector<Topology> topologies() {
  return {{"resnet50v2", 224, [](std::int64_t size) { return resnet50v2(size); }},
          {"mobilenetv2", 224, [](std::int64_t size) { return MobileNetV2(size).build(); }},
          {"efficientnet_lite4", 300, efficientnet_lite4},
          {"mobilenetv3_large", 224, mobilenetv3_large},
          {"silu_detector", 320, silu_detector},
          {"shuffle_detector", 352, shuffle_detector},
          {"bert", 128, bert, random_words}};
}
