#include <graft/evaluate/decoder.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/testing/text.hpp>

#include "support/error_of.hpp"

using namespace graft;

namespace {

using Ids = std::vector<std::int64_t>;

/// A decoder of 4 words. The cache has a row for each step, 1 at its word. The logit of a word is 1.5 for each time it
/// was seen, and word 0 has a tenth of the position more.
std::string counting(const std::string& key = "past_key_values.0.key", const std::string& present_key = "present.0.key",
                     const std::string& value = "past_key_values.0.value",
                     const std::string& present_value = "present.0.value", const std::string& logits = "logits") {
  return "input_ids: i64[B,S]; attention_mask: i64[B,T]; position_ids: i64[B,S]; " + key + ": f32[B,1,P,4]; " + value +
         ": f32[B,1,P,4]; hot = Unsqueeze(OneHot(input_ids, i64[] 4, f32[2] {0, 1}), i64[1] 1); " + present_key +
         " = Concat(" + key + ", hot) {axis=2}; " + present_value + " = Concat(" + value + ", Mul(hot, f32[] 0.5)) " +
         "{axis=2}; valid = Unsqueeze(Cast(attention_mask) {to=f32}, i64[2] {1, 3}); all = CumSum(Mul(Add(" +
         present_key + ", " + present_value + "), valid), i64[] 2); fresh = Slice(all, Neg(Shape(input_ids) "
         "{start=1}), i64[1] 1000000, i64[1] 2); place = Mul(Unsqueeze(Cast(position_ids) {to=f32}, i64[1] 2), "
         "f32[4] {0.1, 0, 0, 0}); " + logits + " = Add(Squeeze(fresh, i64[1] 1), place); return " + logits + ", " +
         present_key + ", " + present_value;
}

std::vector<double> logits_after(const Ids& ids, std::size_t step) {
  std::vector<double> logits(4, 0);
  for (std::size_t i = 0; i <= step; ++i) logits[static_cast<std::size_t>(ids[i])] += 1.5;
  logits[0] += 0.1 * static_cast<double>(step);
  return logits;
}

double loss_of(const std::vector<double>& logits, std::int64_t next) {
  double total = 0;
  for (const double logit : logits) total += std::exp(logit);
  return std::log(total) - logits[static_cast<std::size_t>(next)];
}

Tensor row(const Ids& ids) { return Tensor::of<std::int64_t>({1, static_cast<std::int64_t>(ids.size())}, ids); }

const Ids story{2, 1, 2, 2, 0, 3, 1, 2, 0, 0, 2};

}  // namespace

TEST_CASE("a decoder is recognized by its names, whatever the order", "[decoder]") {
  std::string text = counting();
  text = text.substr(0, text.find("return")) + "return present.0.value, present.0.key, logits";
  const Model model = graph(text);
  const DecoderSignature found = decoder_signature(model.graph());
  CHECK(found.ids.name == "input_ids");
  CHECK(found.mask->name == "attention_mask");
  CHECK(found.positions->name == "position_ids");
  CHECK(found.logits == "logits");
  REQUIRE(found.caches.size() == 2);
  CHECK(found.caches[1].past == "past_key_values.0.value");
  CHECK(found.caches[1].present == "present.0.value");
  CHECK(found.caches[1].empty == Dims{1, 1, 0, 4});
}

TEST_CASE("other names of past and present pair, too, and without such names shapes do", "[decoder]") {
  for (const auto& [past, present] : {std::pair{"past_key_0", "present_key_0"}, {"past.0.k", "present.0.k"},
                                      {"past_key_values_0", "present_key_values_0"}, {"keys", "new_keys"}}) {
    const Model model = graph(counting(past, present, "values", "new_values", "scores"));
    const DecoderSignature found = decoder_signature(model.graph());
    REQUIRE(found.caches.size() == 2);
    CHECK(found.caches[0].past == past);
    CHECK(found.caches[0].present == present);
    CHECK(found.caches[1].present == "new_values");
    CHECK(found.logits == "scores");
  }
  // Keys and values in one tensor.
  const Model joined = graph("ids: i32[B,S]; past_0: f16[2,B,3,P,8]; logits = Unsqueeze(Cast(ids) {to=f32}, i64[1] 2); "
                             "present_0 = Concat(past_0, past_0) {axis=3}; return logits, present_0");
  const DecoderSignature found = decoder_signature(joined.graph());
  CHECK(found.ids.dtype == DType::i32);
  CHECK_FALSE(found.mask);
  CHECK(found.caches[0].dtype == DType::f16);
  CHECK(found.caches[0].empty == Dims{2, 1, 3, 0, 8});
  const Feeds feeds = found.first_feeds(Tensor::of<std::int64_t>({5, 1}, Ids{1, 2, 3, 4, 5}));
  REQUIRE(feeds.size() == 2);
  CHECK(feeds[0].second.dtype() == DType::i32);
  CHECK(feeds[1].second.dims() == Dims{2, 5, 3, 0, 8});
}

TEST_CASE("a run without a step is refused", "[decoder]") {
  const Model model = graph(counting());
  Decoder decoder(model.graph());
  for (const Dims& dims : {Dims{0, 5}, Dims{1, 0}, Dims{0, 0}}) {
    const Tensor none(DType::i64, dims);
    CHECK_THROWS_WITH(decoder.signature().first_feeds(none), Catch::StartsWith("ids: expected at least one step"));
    CHECK_THROWS_WITH(decoder.run(none), Catch::StartsWith("ids: expected at least one step"));
  }
}

TEST_CASE("what makes no decoder is refused by its name", "[decoder]") {
  const auto why = [](const std::string& statements) {
    const Model model = graph(statements);
    return error_of([&] { decoder_signature(model.graph()); });
  };
  const std::string ids = "input_ids: i64[B,S]; ", past = "past.k: f32[B,2,P,4]; ",
                    logits = "logits = Unsqueeze(Cast(input_ids) {to=f32}, i64[1] 2); ",
                    present = "present.k = Concat(past.k, past.k) {axis=2}; ";
  CHECK(why(ids + past + logits + present + "return logits, present.k").empty());
  CHECK_THAT(why("x: f32[2]; y = Neg(x)"), Catch::StartsWith("x: is not an input of a decoder"));
  CHECK_THAT(why(past + present + "logits = Neg(f32[1,2,3] 1); return logits, present.k"),
             Catch::StartsWith("input_ids: is missing"));
  CHECK_THAT(why(ids + logits + "return logits"), Catch::StartsWith("past_key_values: are missing"));
  CHECK_THAT(why(ids + past + present + "return present.k"), Catch::StartsWith("logits: is missing: no output"));
  CHECK_THAT(why(ids + past + present + "a = Neg(f32[1,2,3] 1); b = Neg(f32[1,2,3] 1); return a, b, present.k"),
             Catch::StartsWith("logits: is missing: 'a' or 'b' may be it"));
  CHECK_THAT(why(ids + past + logits + "other = Neg(past.k); out = Neg(past.k); return logits, other, out"),
             Catch::StartsWith("past.k: has no output of the same name"));
  const std::string rest = past + logits + present + "return logits, z, present.k";
  CHECK_THAT(why(ids + "more_ids: i64[B,S]; z = Neg(more_ids); " + rest),
             Catch::StartsWith("more_ids: is a second input for what 'input_ids' is"));
  CHECK_THAT(why(ids + "flag: bool[1]; z = Not(flag); " + rest),
             Catch::StartsWith("flag: is not an input of a decoder") && Catch::EndsWith("found bool[1]"));
  const auto with_cache = [&](const std::string& shape) {
    return why(ids + "past.k: f32" + shape + "; " + logits + "present.k = Neg(past.k); return logits, present.k");
  };
  CHECK_THAT(with_cache("[B,2,16,4]"), Catch::StartsWith("past.k: expected a cache that grows"));
  CHECK_THAT(with_cache("[B,H,P,4]"), Catch::StartsWith("past.k: expected known extents"));
  CHECK_THAT(with_cache("[B,P]"), Catch::StartsWith("past.k: expected a cache [batch, heads, steps, size]"));
}

TEST_CASE("logits and their cross-entropy are those of the closed form", "[decoder]") {
  const Model model = graph(counting());
  Decoder decoder(model.graph());
  const std::vector<double> found = decoder.run(row(story)).to<double>();
  double sum = 0;
  for (std::size_t i = 0; i < story.size(); ++i) {
    const std::vector<double> wanted = logits_after(story, i);
    for (std::size_t word = 0; word < 4; ++word) CHECK(found[i * 4 + word] == Approx(wanted[word]));
    if (i + 1 < story.size()) sum += loss_of(wanted, story[i + 1]);
  }
  CHECK(token_loss(decoder, story, story.size()) == Approx(sum / 10));
  CHECK(token_loss(decoder, story, 100) == Approx(sum / 10));

  // In pieces of 4, 4 and 3 tokens, each over an empty cache.
  double in_pieces = 0;
  for (const std::size_t at : {0u, 4u, 8u}) {
    const Ids piece(story.begin() + static_cast<std::ptrdiff_t>(at),
                    story.begin() + static_cast<std::ptrdiff_t>(std::min(at + 4, story.size())));
    for (std::size_t i = 0; i + 1 < piece.size(); ++i) in_pieces += loss_of(logits_after(piece, i), piece[i + 1]);
  }
  CHECK(token_loss(decoder, story, 4) == Approx(in_pieces / 8));
  CHECK_THROWS_WITH(token_loss(decoder, story, 1), Catch::Contains("at least two tokens"));
}

TEST_CASE("a prompt in one run gives what its parts and its single tokens give", "[decoder]") {
  const Model model = graph(counting());
  Decoder decoder(model.graph());
  const std::vector<float> whole = decoder.run(row(story)).to<float>();
  for (const std::size_t step : {1u, 3u}) {
    decoder.restart();
    std::vector<float> parts;
    for (std::size_t at = 0; at < story.size(); at += step) {
      const Ids part(story.begin() + static_cast<std::ptrdiff_t>(at),
                     story.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, story.size())));
      const std::vector<float> logits = decoder.run(row(part)).to<float>();
      parts.insert(parts.end(), logits.begin(), logits.end());
    }
    CHECK(parts == whole);
  }
}

TEST_CASE("padding in front counts neither as a word nor as a position, also in later runs", "[decoder]") {
  const Model model = graph(counting());
  Decoder decoder(model.graph());
  const auto two = [](const Ids& ids) { return Tensor::of<std::int64_t>({2, 3}, ids); };
  decoder.run(two({3, 3, 1, 1, 2, 0}), two({0, 0, 1, 1, 1, 1}));
  const std::vector<float> both = decoder.run(Tensor::of<std::int64_t>({2, 2}, {2, 2, 1, 1})).to<float>();
  std::vector<float> alone;
  for (const Ids& ids : {Ids{1, 2, 2}, Ids{1, 2, 0, 1, 1}}) {
    decoder.restart();
    const std::vector<float> logits = decoder.run(row(ids)).to<float>();
    alone.insert(alone.end(), logits.end() - 8, logits.end());
  }
  CHECK(both == alone);
  decoder.restart();
  decoder.run(row(story));
  CHECK_THROWS_WITH(decoder.run(Tensor(DType::i64, {2, 1})), Catch::Contains("has 2 sequences, the cache 1"));
  CHECK_THROWS_WITH(decoder.run(row(story), Tensor(DType::i64, {1, 2})), Catch::StartsWith("mask: expected [1,11]"));
  CHECK_THROWS_WITH(decoder.run(Tensor(DType::i32, {1, 1})), Catch::Contains("expected ids i64[batch,steps]"));
}

TEST_CASE("cross-entropy: equal logits give the logarithm of the number of words", "[decoder]") {
  CHECK(cross_entropy(Tensor(DType::f32, {1, 3, 7}), Ids{0, 6, 2}) == Approx(std::log(7)));
  CHECK(cross_entropy(Tensor::of<float>({1, 2}, {0, std::log(3.0F)}), Ids{0}) == Approx(std::log(4)));
  CHECK(cross_entropy(Tensor::of<float>({1, 2}, {1e4F, 0}), Ids{1}) == Approx(1e4));  // without overflow
  CHECK(cross_entropy(Tensor::of<float>(DType::f16, {2, 2}, {1, 1, 2, 2}), Ids{0, 1}) == Approx(std::log(2)));
  CHECK_THROWS_WITH(cross_entropy(Tensor(DType::f32, {1, 1, 7}), Ids{1, 2}), Catch::Contains("1 rows for 2 tokens"));
  CHECK_THROWS_WITH(cross_entropy(Tensor(DType::f32, {1, 7}), Ids{7}), Catch::Contains("token 7 is outside the 7"));
  CHECK_THROWS_WITH(cross_entropy(Tensor(DType::f32, {0, 7}), Ids{}), Catch::Contains("0 rows for 0 tokens"));
}

TEST_CASE("samples are whole pieces of the text over an empty cache", "[decoder]") {
  const Model model = graph(counting());
  const std::vector<Feeds> samples = decoder_samples(decoder_signature(model.graph()), story, 4);
  REQUIRE(samples.size() == 2);
  const std::vector<float> second = Evaluator(model.graph()).run(samples[1])[0].to<float>();
  Decoder decoder(model.graph());
  CHECK(second == decoder.run(row({0, 3, 1, 2})).to<float>());
}
