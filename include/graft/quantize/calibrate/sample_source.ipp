#pragma once
#include <graft/quantize/calibrate/sample_source.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// Some samples of an indexed range.
struct SampleSource::Part final : Held {
  Part(std::shared_ptr<Held> all, std::vector<std::size_t> at)
      : Held(true), whole(std::move(all)), places(std::move(at)) {}
  std::optional<std::size_t> size() const override { return places.size(); }
  bool is_indexed() const override { return true; }
  Sample at(std::size_t i) const override { return whole->at(places[i]); }
  std::optional<SampleIdentity> identity(std::size_t i) const override { return whole->identity(places[i]); }
  void for_each(const Visit& visit) override {
    for (const std::size_t place : places)
      if (!visit(whole->at(place))) return;
  }

  std::shared_ptr<Held> whole;
  std::vector<std::size_t> places;
};

/// Copies samples on the way.
struct SampleSource::Kept final : Held {
  Kept(SampleSource all, std::shared_ptr<std::vector<Sample>> to, std::size_t count)
      : Held(all.begins_anew()), whole(std::move(all)), kept(std::move(to)), most(count) {}
  std::optional<std::size_t> size() const override { return whole.size(); }
  void for_each(const Visit& visit) override {
    whole.for_each([&](const Sample& sample) {
      if (kept->size() < most) kept->push_back(sample);
      return visit(sample);
    });
  }

  SampleSource whole;
  std::shared_ptr<std::vector<Sample>> kept;
  std::size_t most;
};

GRAFT_INLINE Sample SampleSource::Held::at(std::size_t) const { throw Error("the samples are not indexed"); }

GRAFT_INLINE MaybeSample SampleSource::at(std::size_t i) const {
  try {
    return {held_->at(i), {}, {}};
  } catch (const Error& error) {
    if (!skips_) throw;
    return {{}, error.what(), held_->identity(i)};
  }
}

GRAFT_INLINE SampleSource SampleSource::skipping_unreadable() const {
  SampleSource source = *this;
  source.skips_ = true;
  return source;
}

GRAFT_INLINE SampleSource SampleSource::part(std::vector<std::size_t> places) const {
  SampleSource source(std::make_shared<Part>(held_, std::move(places)));
  source.skips_ = skips_;
  return source;
}

GRAFT_INLINE SampleSource SampleSource::keeping(std::shared_ptr<std::vector<Sample>> kept, std::size_t most) const {
  return SampleSource(std::make_shared<Kept>(*this, std::move(kept), most));
}

GRAFT_INLINE void SampleSource::for_each(const Visit& visit,
                                         const std::function<void(const std::string& why)>& unreadable) const {
  if (!held_->begins_anew && std::exchange(held_->begun, true))
    throw Error("the samples can be gone through only once: hold them in a vector");
  if (!skips_ || !is_indexed()) return held_->for_each(visit);
  for (std::size_t i = 0; i < *size(); ++i) {
    const MaybeSample next = at(i);
    if (!next.sample && unreadable) unreadable(next.why);
    if (next.sample && !visit(*next.sample)) return;
  }
}

}  // namespace graft::inline v1
