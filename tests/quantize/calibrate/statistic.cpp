#include <graft/quantize/calibrate/statistic.hpp>

#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>

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
