#include "support/tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/error_of.hpp"
#include "support/folder.hpp"

namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

/// Every byte is a token with its own number; merged ones follow from 256 on.
json with_merges(const std::vector<std::string>& merges) {
  json vocabulary = json::object();
  int hidden = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_shown = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
    const int letter = is_shown ? byte : hidden++;
    const std::string token = letter < 0x80 ? std::string(1, static_cast<char>(letter))
                                            : std::string{static_cast<char>(0xC0 | (letter >> 6)),
                                                          static_cast<char>(0x80 | (letter & 0x3F))};
    vocabulary[token] = byte;
  }
  for (std::size_t i = 0; i < merges.size(); ++i) {
    std::string token = merges[i];
    token.erase(token.find(' '), 1);
    vocabulary[token] = 256 + i;
  }
  return {{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"added_tokens", json::array()}};
}

Words words_of(const std::string& text, const WordEnd& end) {
  const CodePoints points(text);
  Words words;
  for (std::size_t at = 0, next = 0; at < points.size(); at = next)
    words.emplace_back(points.part(at, next = end(points, at)));
  return words;
}

WordEnd llama3(std::size_t digits) {
  return [digits](const CodePoints& text, std::size_t at) { return words::llama3(text, at, digits); };
}

}  // namespace

TEST_CASE("tokenizer: pairs merge in the order of their ranks, and from the left", "[examples]") {
  const Tokenizer lower(with_merges({"l o", "lo w", "e r", "Ġ low"}));
  CHECK(lower.encode("low lower") == Ids{257, 259, 258});
  CHECK(lower.encode("lo lw") == Ids{256, ' ', 'l', 'w'});
  const Tokenizer ranks(with_merges({"b c", "a b", "a a", "bc d"}));
  CHECK(ranks.encode("abc") == Ids{'a', 256});
  CHECK(ranks.encode("aaa") == Ids{258, 'a'});
  CHECK(ranks.encode("aaaab") == Ids{258, 'a', 257});  // a b ranks above a a
  CHECK(ranks.encode("bcd") == Ids{259});
  CHECK(ranks.encode("").empty());
  json without = with_merges({"b c"});
  without["model"]["vocab"].erase("x");
  CHECK(Tokenizer(without).encode("xbxc") == Ids{256});
  CHECK(Tokenizer(without).encode("x").empty());
  json pairs = with_merges({"b c"});
  pairs["model"]["merges"] = json::array({json::array({"b", "c"})});  // as later files have them
  CHECK(Tokenizer(pairs).encode("bc") == Ids{256});
  // A long word without spaces takes n log n steps.
  CHECK(ranks.encode(std::string(200'000, 'a')).size() == 100'000);
}

TEST_CASE("tokenizer: every text is bytes, and comes back", "[examples]") {
  const Tokenizer tokenizer(with_merges({"Ã ©"}));
  CHECK(tokenizer.encode("é") == Ids{256});
  CHECK(tokenizer.encode("東") == Ids{0xE6, 0x9D, 0xB1});
  CHECK(tokenizer.encode("\n\t") == Ids{'\n', '\t'});
  for (const std::string text : {"naïve café – “quoted” …", "東京 한국어 ١٢٣ ½ 😀👍🏽", " \r\n\t  two \u00a0 ", "\u00ad"})
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
  CHECK(tokenizer.decode(Ids{'a', -1, 100'000, 'b'}) == "ab");
}

TEST_CASE("tokenizer: words are those of the regular expressions", "[examples]") {
  CHECK(words_of("I'll go  now!\n x12", words::gpt2) ==
        Words{"I", "'ll", " go", " ", " now", "!", "\n", " x", "12"});
  CHECK(words_of("I'LL ½٣ ?! a_b  ", words::gpt2) == Words{"I", "'", "LL", " ½٣", " ?!", " a", "_", "b", "  "});
  CHECK(words_of("é東ª\u0301\u3000\u3000x", words::gpt2) == Words{"é東ª", "\u0301", "\u3000", "\u3000", "x"});
  CHECK(words_of("I'LL go(abc)\r\n\n x12345 $67", llama3(3)) ==
        Words{"I", "'LL", " go", "(abc", ")\r\n\n", " x", "123", "45", " $", "67"});
  CHECK(words_of("x12  \n\n  y 3  ", llama3(1)) == Words{"x", "1", "2", "  \n\n", " ", " y", " ", "3", "  "});
  const auto digits = [](bool each) {
    return [each](const CodePoints& text, std::size_t at) { return words::digits(text, at, each); };
  };
  CHECK(words_of("ab 12c", digits(true)) == Words{"ab ", "1", "2", "c"});
  CHECK(words_of("ab 12c", digits(false)) == Words{"ab ", "12", "c"});
}

TEST_CASE("tokenizer: the file says how words are found", "[examples]") {
  json file = with_merges({"1 2", "Ġ 1", "Ġ a", "b ."});
  CHECK(Tokenizer(file).encode(" 12 ab.") == Ids{' ', 256, 258, 'b', '.'});  // 1 2 ranks above Ġ 1
  const json byte_level{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const json digits{{"type", "Digits"}, {"individual_digits", true}};
  file["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {digits, byte_level}}};
  CHECK(Tokenizer(file).encode(" 12 ab.") == Ids{' ', '1', '2', 258, 259});
  const json split{{"type", "Split"}, {"behavior", "Isolated"}, {"invert", false},
                   {"pattern", {{"Regex", words::llama3_regex}}}};
  file["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}};
  CHECK(Tokenizer(file).encode(" 12 ab.") == Ids{' ', 256, 258, 'b', '.'});
  file["model"]["vocab"][" 12"] = 300;  // no letters of bytes: never found
  file["model"]["vocab"]["Ġab"] = 301;
  CHECK(Tokenizer(file).encode(" ab") == Ids{258, 'b'});
  file["model"]["ignore_merges"] = true;
  CHECK(Tokenizer(file).encode(" ab") == Ids{301});
}

TEST_CASE("tokenizer: special tokens are found in the text, the longest first", "[examples]") {
  json file = with_merges({});
  for (const auto& [id, content] : {std::pair{400, "<s>"}, {401, "<s>x"}, {402, "</s>"}})
    file["added_tokens"].push_back({{"id", id}, {"content", content}, {"lstrip", false}, {"special", true}});
  const Tokenizer tokenizer(file);
  CHECK(tokenizer.encode("<s>ab</s><s>x<s> s>") == Ids{400, 'a', 'b', 402, 401, 400, ' ', 's', '>'});
  CHECK(tokenizer.encode("<s") == Ids{'<', 's'});
  CHECK(tokenizer.decode(Ids{400, 'a', 402}) == "<s>a</s>");
  CHECK(tokenizer.size() == 403);
}

TEST_CASE("tokenizer: other kinds are refused by field", "[examples]") {
  const auto why = [](const std::string& path, const json& value) {
    json file = with_merges({"a b"});
    file[json::json_pointer(path)] = value;
    return error_of([&] { Tokenizer{file}; });
  };
  CHECK(why("/normalizer", {{"type", "NFC"}}).empty());
  CHECK_THAT(why("/model/type", "WordPiece"),
             Catch::StartsWith("model.type: expected \"BPE\", found \"WordPiece\"; byte-level BPE"));
  CHECK_THAT(why("/model/byte_fallback", true), Catch::StartsWith("model.byte_fallback: "));
  CHECK_THAT(why("/model/end_of_word_suffix", "</w>"), Catch::StartsWith("model.end_of_word_suffix: "));
  CHECK_THAT(why("/model/merges/0", "a unknown"), Catch::StartsWith("model.merges[0]: has a token that"));
  CHECK_THAT(why("/model/merges/0", "ab"), Catch::StartsWith("model.merges[0]: is not two tokens"));
  CHECK_THAT(why("/normalizer", {{"type", "NFKC"}}), Catch::StartsWith("normalizer.type: "));
  CHECK_THAT(why("/pre_tokenizer", {{"type", "Metaspace"}}), Catch::StartsWith("pre_tokenizer.type: "));
  CHECK_THAT(why("/pre_tokenizer", nullptr), Catch::StartsWith("pre_tokenizer.type: "));
  CHECK_THAT(why("/pre_tokenizer/add_prefix_space", true), Catch::StartsWith("pre_tokenizer.add_prefix_space: "));
  json split{{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "\\w+"}}}};
  CHECK_THAT(why("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split}}}),
             Catch::StartsWith("pre_tokenizer.pretokenizers[0].pattern.Regex: "));
  CHECK_THAT(why("/pre_tokenizer", {{"type", "Digits"}}), Catch::StartsWith("pre_tokenizer: has no ByteLevel"));
  CHECK_THAT(why("/added_tokens/0", {{"id", 9}, {"content", "<m>"}, {"lstrip", true}}),
             Catch::StartsWith("added_tokens[0].lstrip: "));
}

TEST_CASE("tokenizer: texts that it cannot take are refused", "[examples]") {
  json file = with_merges({"a b"});
  const Tokenizer plain(file);
  for (const std::string_view text : {"ab\xff", "\xC3", "\xC3(x", "\xE6\x9D", "\xC0\x80", "a\x80"})
    CHECK_THAT(error_of([&] { plain.encode(text); }), Catch::Contains("is not UTF-8 at byte"));
  CHECK_FALSE(plain.encode("e\u0301").empty());
  file["normalizer"] = {{"type", "NFC"}};
  CHECK_THAT(error_of([&] { Tokenizer(file).encode("e\u0301"); }), Catch::Contains("needs a text in NFC"));
  file["model"]["vocab"].erase("z");
  file["model"]["unk_token"] = "a";
  CHECK_THAT(error_of([&] { Tokenizer(file).encode("xyz"); }), Catch::Equals("model.vocab: lacks byte 122"));
  const Folder folder;
  write_file(folder / "t.json", "{");
  CHECK_THAT(error_of([&] { Tokenizer::load(folder / "t.json"); }), Catch::Contains("t.json: is not a tokenizer.json"));
}
