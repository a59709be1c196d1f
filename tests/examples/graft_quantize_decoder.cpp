// graft-quantize --decoder: a text goes in, and cross-entropy, speed and memory come out.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <graft/graph/model.hpp>
#include <graft/testing/text.hpp>

#include "program.hpp"
#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t vocabulary = 16;
const std::string letters = "abcdefghijklmno";  // and a space, of the last id

/// The cache has a row for each step, 1 at its word. The logit of a word is 1.5 for each time that it was seen.
std::string counting() {
  std::string diagonal;
  for (std::int64_t i = 0; i < vocabulary * vocabulary; ++i)
    diagonal += (i == 0 ? "" : ", ") + std::string(i % (vocabulary + 1) == 0 ? "1.5" : "0");
  return R"(opset 17; input_ids: i64[B,S]; attention_mask: i64[B,T]; past_key_values.0.key: f32[B,1,P,16];
    hot = Unsqueeze(OneHot(input_ids, i64[] 16, f32[2] {0, 1}), i64[1] 1);
    present.0.key = Concat(past_key_values.0.key, hot) {axis=2};
    valid = Unsqueeze(Cast(attention_mask) {to=f32}, i64[2] {1, 3}); all = CumSum(Mul(present.0.key, valid), i64[] 2);
    seen = Slice(all, Neg(Shape(input_ids) {start=1}), i64[1] 1000000, i64[1] 2); w = f32[16,16] {)" + diagonal + R"(};
    logits = MatMul(Squeeze(seen, i64[1] 1), w) : f32[B,S,16]; return logits, present.0.key)";
}

/// Attention whose cache can be in integers.
const std::string attending = R"(opset 17; input_ids: i64[B,S]; attention_mask: i64[B,T];
  past_key_values.0.key: f32[B,2,P,8]; past_key_values.0.value: f32[B,2,P,8];
  x = Gather(f32[16,32] random, input_ids); q = MatMul(x, f32[32,32] random); k = MatMul(x, f32[32,16] random);
  v = MatMul(x, f32[32,16] random); valid = ReduceSum(attention_mask, i64[1] 1) {keepdims=0};
  n = Cast(Sub(valid, i64[1] 1)) {to=i32}; m = Cast(Squeeze(Shape(attention_mask) {start=1}, i64[1] 0)) {to=i32};
  y, present.0.key, present.0.value = com.microsoft::GroupQueryAttention(q, k, v, past_key_values.0.key,
    past_key_values.0.value, n, m) {num_heads=4, kv_num_heads=2}; logits = MatMul(y, f32[32,16] random) : f32[B,S,16];
  return logits, present.0.key, present.0.value)";

/// The same in primitives, as exporters write it.
const std::string attending_apart = R"(opset 17; input_ids: i64[B,S]; attention_mask: i64[B,T];
  past_key_values.0.key: f32[B,2,P,8]; past_key_values.0.value: f32[B,2,P,8];
  x = Gather(f32[16,32] random, input_ids); split = i64[4] {0, 0, 2, 8}; g = i64[5] {1, 1, 2, 1, 1};
  h = i64[4] {0, 4, -1, 8}; q = Transpose(Reshape(MatMul(x, f32[32,32] random), i64[4] {0, 0, 4, 8})) {perm=[0,2,1,3]};
  k = Transpose(Reshape(MatMul(x, f32[32,16] random), split)) {perm=[0,2,1,3]};
  v = Transpose(Reshape(MatMul(x, f32[32,16] random), split)) {perm=[0,2,1,3]};
  present.0.key = Concat(past_key_values.0.key, k) {axis=2};
  present.0.value = Concat(past_key_values.0.value, v) {axis=2};
  rk = Reshape(Expand(Unsqueeze(present.0.key, i64[1] 2), g), h);
  rv = Reshape(Expand(Unsqueeze(present.0.value, i64[1] 2), g), h);
  o = Squeeze(Shape(past_key_values.0.key) {start=2, end=3}); t = Add(o, Squeeze(Shape(input_ids) {start=1}));
  m = Where(LessOrEqual(Range(i64[] 0, t, i64[] 1), Unsqueeze(Range(o, t, i64[] 1), i64[1] 1)), f32[] 0, f32[] -3e38);
  s = Mul(MatMul(q, Transpose(rk) {perm=[0,1,3,2]}), f32[] 0.3535534);
  y = Reshape(Transpose(MatMul(Softmax(Add(s, m)) {axis=-1}, rv)) {perm=[0,2,1,3]}, i64[3] {0, 0, 32});
  logits = MatMul(y, f32[32,16] random) : f32[B,S,16]; return logits, present.0.key, present.0.value)";

/// By counting(), over pieces of `window` tokens.
double loss_of(const Ids& ids, std::size_t window) {
  double sum = 0, count = 0;
  for (std::size_t start = 0; start < ids.size(); start += window) {
    std::vector<double> logits(vocabulary, 0);
    for (std::size_t i = start; i + 1 < std::min(start + window, ids.size()); ++i, ++count) {
      logits[static_cast<std::size_t>(ids[i])] += 1.5;
      double total = 0;
      for (const double logit : logits) total += std::exp(logit);
      sum += std::log(total) - logits[static_cast<std::size_t>(ids[i + 1])];
    }
  }
  return sum / count;
}

struct Desk {
  explicit Desk(const std::string& text = counting()) {
    write_file(folder / "model.onnx", graph(text).serialize());
    for (std::size_t i = 0; i < 50; ++i) story += i % 5 == 3 ? ' ' : letters[i * i % 7];
    write_file(folder / "story.txt", story);
    nlohmann::json words{{"Ġ", letters.size()}};
    for (std::size_t i = 0; i < letters.size(); ++i) words[letters.substr(i, 1)] = i;
    tokenizer = {{"model", {{"type", "BPE"}, {"vocab", words}, {"merges", nlohmann::json::array()}}},
                 {"pre_tokenizer", {{"type", "ByteLevel"}}}};
    write_file(folder / "tokenizer.json", tokenizer.dump());
  }
  Ids ids(std::size_t first, std::size_t last) const {
    Ids result;
    for (std::size_t i = first; i < last; ++i)
      result.push_back(static_cast<std::int64_t>(std::min(letters.find(story[i]), letters.size())));
    return result;
  }
  Ended run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {folder / "model.onnx", "-o", folder / "q.onnx", "--window", "8", "--prompt",
                                         "5", "--generate", "3", "--threads", "1", "--report", folder / "r.json"});
    return run_program("graft-quantize", arguments);
  }
  /// What the report has about the decoder.
  nlohmann::json measured(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--decoder", "--text", folder / "story.txt"});
    const Ended ended = run(arguments);
    INFO(ended.error);
    REQUIRE(ended.code == 0);
    for (const char* const label : {"cross-entropy  ", "prompt  ", "generation  ", "size  "})
      CHECK(ended.out.find(label) != std::string::npos);
    return nlohmann::json::parse(read_file(folder / "r.json"))["decoder"];
  }

  Folder folder;
  std::string story;
  nlohmann::json tokenizer;
};

const std::vector<std::string> weights{"--weight-only", "4", "--block", "16", "--symmetric", "--method", "rtn"};

}  // namespace

TEST_CASE("graft-quantize --decoder: the cross-entropy is that of unseen tokens", "[examples]") {
  const Desk desk;
  const nlohmann::json found = desk.measured(weights);
  // Of 50 tokens, 6 pieces of 8: 3 are samples, and all behind them is measured.
  CHECK(found["tokens"] == 26);
  CHECK(found["before"]["cross_entropy"].get<double>() == Approx(loss_of(desk.ids(24, 50), 8)).epsilon(1e-5));
  CHECK(found["after"]["cross_entropy"].get<double>() == Approx(loss_of(desk.ids(24, 50), 8)).epsilon(1e-2));
  for (const char* const model : {"before", "after"}) {
    CHECK(found[model]["prompt_tokens_per_second"] > 0);
    CHECK(found[model]["generated_tokens_per_second"] > 0);
    CHECK((found[model]["peak_bytes"].is_null() || found[model]["peak_bytes"].is_number_unsigned()));
  }
  CHECK_FALSE(found["executor"].get<std::string>().empty());
  std::vector<std::string> fewer = weights;
  fewer.insert(fewer.end(), {"--tokens", "20"});
  const Desk other;
  CHECK(other.measured(fewer)["before"]["cross_entropy"].get<double>() ==
        Approx(loss_of(other.ids(8, 20), 8)).epsilon(1e-5));
}

TEST_CASE("graft-quantize --decoder: samples for caches and weights come from the text", "[examples]") {
  const Desk desk(attending);
  const nlohmann::json floats = desk.measured({"--dynamic", "--exclude", ".*"});
  CHECK(floats["after"]["cross_entropy"] == floats["before"]["cross_entropy"]);
  const nlohmann::json found = desk.measured({"--weight-only", "8", "--method", "gptq", "--cache", "8"});
  const double before = found["before"]["cross_entropy"], after = found["after"]["cross_entropy"];
  CHECK(after == Approx(before).epsilon(0.02));
  CHECK(after != before);
  CHECK(Model::load(desk.folder / "q.onnx").graph().find("past_key_values.0.key")->dtype() == DType::i8);
}

TEST_CASE("graft-quantize --cache: caches alone become integers, in attention that is fused for it", "[examples]") {
  const Desk desk(attending_apart);
  const Ended ended = desk.run(
      {"--dynamic", "--exclude", ".*", "--cache", "8", "--decoder", "--text", desk.folder / "story.txt"});
  INFO(ended.error);
  REQUIRE(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("integers in 1 GroupQueryAttention") && !Catch::Contains("nothing"));
  const nlohmann::json report = nlohmann::json::parse(read_file(desk.folder / "r.json"));
  CHECK(report["caches"] == 1);
  CHECK(report["products"] == 0);
  CHECK(Model::load(desk.folder / "q.onnx").graph().find("past_key_values.0.key")->dtype() == DType::i8);
}

TEST_CASE("graft-quantize --cache: what cannot be is refused before anything runs", "[examples]") {
  const Desk desk;
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& why) {
    std::vector<std::string> arguments{"--cache", "8", "--decoder", "--text", desk.folder / "story.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = desk.run(arguments);
    CHECK(ended.code == code);
    CHECK_THAT(ended.error, Catch::Contains(why));
    CHECK_FALSE(fs::exists(desk.folder / "q.onnx"));
    return ended.error;
  };
  refused({"--format", "qcdq"}, 2, "--cache: needs --format qdq");
  const std::string error =
      refused({"--dynamic", "--target", "ort-cpu-x64"}, 2, "release 1.28 has: 'ort-cpu-x64@1.28'");
  CHECK_THAT(error, !Catch::Contains("decoder: measured"));
  refused({"--dynamic"}, 1, "no GroupQueryAttention of com.microsoft has a cache");
}

TEST_CASE("graft-quantize --decoder: a .npy has ids, and a tokenizer may be elsewhere", "[examples]") {
  const Desk desk;
  const nlohmann::json by_text = desk.measured(weights);
  fs::rename(desk.folder / "tokenizer.json", desk.folder / "other.json");
  std::vector<std::string> arguments = weights;
  arguments.insert(arguments.end(), {"--tokenizer", desk.folder / "other.json"});
  CHECK(desk.measured(arguments)["before"]["cross_entropy"] == by_text["before"]["cross_entropy"]);

  const Ids ids = desk.ids(0, 50);
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (50,), }";
  header.resize(117, ' ');
  const std::string begin{'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
  write_file(desk.folder / "ids.npy", begin + header + "\n" +
                                          std::string(reinterpret_cast<const char*>(ids.data()), ids.size() * 8));
  arguments = weights;
  arguments.insert(arguments.end(), {"--decoder", "--text", desk.folder / "ids.npy"});
  REQUIRE(desk.run(arguments).code == 0);
  const nlohmann::json by_ids = nlohmann::json::parse(read_file(desk.folder / "r.json"))["decoder"];
  CHECK(by_ids["before"]["cross_entropy"] == by_text["before"]["cross_entropy"]);
}

TEST_CASE("graft-quantize --decoder: what does not fit is refused before anything runs", "[examples]") {
  const Desk desk;
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& why) {
    arguments.insert(arguments.end(), weights.begin(), weights.end());
    const Ended ended = desk.run(arguments);
    CHECK(ended.code == code);
    CHECK_THAT(ended.error + ended.out, Catch::Contains(why));
    CHECK_FALSE(fs::exists(desk.folder / "q.onnx"));
  };
  const std::string text = desk.folder / "story.txt";
  refused({"--decoder"}, 2, "--decoder requires --text");
  refused({"--text", text}, 2, "--text requires --decoder");
  refused({"--decoder", "--text", text, "--calibration", desk.folder.path()}, 2, "excludes");
  refused({"--decoder", "--text", text, "--resize", "8"}, 2, "--resize: has no effect with --decoder");
  refused({"--decoder", "--text", text, "--tokens", "15"}, 1,
          "story.txt: has 15 tokens, 16 expected: a piece for samples");
  const Ended narrow = run_program("graft-quantize", {desk.folder / "model.onnx", "--dry-run", "--decoder", "--text",
                                                      text, "--window", "1"});
  CHECK(narrow.code == 2);
  CHECK_THAT(narrow.error, Catch::Contains("--window"));
  const Ended without = run_program("graft-quantize", {desk.folder / "model.onnx", "--dry-run", "--cache", "8"});
  CHECK(without.code == 2);
  CHECK_THAT(without.error, Catch::Contains("--calibration"));
  fs::rename(desk.folder / "tokenizer.json", desk.folder / "other.json");
  refused({"--decoder", "--text", text}, 1, "tokenizer.json: is missing: --tokenizer names another one");
  write_file(desk.folder / "tokenizer.json", R"({"model": {"type": "Unigram"}})");
  refused({"--decoder", "--text", text}, 1, "tokenizer.json: model.type: expected \"BPE\", found \"Unigram\"");
  write_file(desk.folder / "model.onnx", graph("x: f32[2,20]; y = MatMul(x, f32[20,20] random)").serialize());
  refused({"--decoder", "--text", text}, 1, "model.onnx: x: is not an input of a decoder");
}
