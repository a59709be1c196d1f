#include <graft/quantize/statistic.hpp>

#include <graft/quantize/statistics/channel_means.hpp>
#include <graft/quantize/statistics/extremes.hpp>
#include <graft/quantize/statistics/histogram.hpp>
#include <graft/quantize/statistics/moving_extremes.hpp>

using namespace graft;

namespace {

struct NoFile {
  static constexpr const char* kind = "no-file";
  void add(const Tensor&, const Range&) {}
  void merge(const NoFile&) {}
};

}  // namespace

static_assert(Statistic<Extremes> && Statistic<MovingExtremes> && Statistic<Histogram> && Statistic<ChannelMeans>);
static_assert(!Statistic<NoFile> && !Statistic<Range>);
