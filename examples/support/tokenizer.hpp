#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph/error.hpp>
#include <graft/graph/whole_file.hpp>

#include "support/unicode.hpp"

/// A text as code points, and the byte at which each begins.
class CodePoints {
 public:
  /// Throws graft::Error if the text is not UTF-8.
  explicit CodePoints(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at < text.size();) {
      const auto lead = static_cast<unsigned char>(text[at]);
      const std::size_t length =
          lead < 0x80 ? 1 : lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      char32_t c = length < 2 ? lead : lead & (0x7Fu >> length);
      bool is_good = length != 0 && length <= text.size() - at;
      for (std::size_t i = 1; is_good && i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        is_good = (next & 0xC0u) == 0x80;
        c = (c << 6) | (next & 0x3Fu);
      }
      if (!is_good) throw graft::Error("is not UTF-8 at byte " + std::to_string(at));
      points_.push_back(c);
      starts_.push_back(at);
      at += length;
    }
    starts_.push_back(text.size());
  }

  std::size_t size() const { return points_.size(); }
  /// 0 behind the end.
  char32_t operator[](std::size_t i) const { return i < points_.size() ? points_[i] : 0; }
  std::string_view part(std::size_t first, std::size_t last) const {
    return text_.substr(starts_[first], starts_[last] - starts_[first]);
  }

 private:
  std::string_view text_;
  std::vector<char32_t> points_;
  std::vector<std::size_t> starts_;
};

/// Splits a text into words: where the word that begins at a code point ends.
using WordEnd = std::function<std::size_t(const CodePoints& text, std::size_t at)>;

namespace words {

inline std::size_t run(const CodePoints& text, std::size_t at, const auto& is_in) {
  while (at < text.size() && is_in(text[at])) ++at;
  return at;
}
inline bool is_other(char32_t c) { return !is_space(c) && !is_letter(c) && !is_number(c); }
inline bool is_newline(char32_t c) { return c == '\r' || c == '\n'; }

/// The end of 's, 't, 're, 've, 'm, 'll or 'd; `at` if there is none.
inline std::size_t contraction(const CodePoints& text, std::size_t at, bool any_case) {
  if (text[at] != '\'') return at;
  const auto letter = [&](std::size_t i) {
    const char32_t c = text[i];
    return any_case && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  };
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    std::size_t i = 0;
    while (i < ending.size() && letter(at + 1 + i) == static_cast<unsigned char>(ending[i])) ++i;
    if (i == ending.size()) return at + 1 + i;
  }
  return at;
}

/// \s+(?!\S)|\s+: leaves the last space to a word behind it.
inline std::size_t spaces(const CodePoints& text, std::size_t at) {
  const std::size_t end = run(text, at, is_space);
  return end < text.size() && end - at > 1 ? end - 1 : end;
}

constexpr std::string_view gpt2_regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

inline std::size_t gpt2(const CodePoints& text, std::size_t at) {
  if (const std::size_t end = contraction(text, at, false); end != at) return end;
  const std::size_t start = at + (text[at] == ' ' && at + 1 < text.size() ? 1 : 0);
  for (const auto is_in : {is_letter, is_number, is_other})
    if (is_in(text[start])) return run(text, start, is_in);
  return spaces(text, at);
}

/// They differ in the number of digits alone.
constexpr std::string_view llama3_regex = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                                          R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_regex = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                                         R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

inline std::size_t llama3(const CodePoints& text, std::size_t at, std::size_t digits) {
  if (const std::size_t end = contraction(text, at, true); end != at) return end;
  const bool may_lead = !is_newline(text[at]) && !is_letter(text[at]) && !is_number(text[at]);
  const std::size_t start = at + (may_lead && at + 1 < text.size() ? 1 : 0);
  if (is_letter(text[start])) return run(text, start, is_letter);
  if (is_number(text[at])) return std::min(run(text, at, is_number), at + digits);
  const std::size_t behind_space = at + (text[at] == ' ' && at + 1 < text.size() ? 1 : 0);
  if (is_other(text[behind_space])) return run(text, run(text, behind_space, is_other), is_newline);
  const std::size_t end = run(text, at, is_space);
  for (std::size_t last = end; last > at; --last)
    if (is_newline(text[last - 1])) return last;
  return spaces(text, at);
}

/// Numbers apart from all else.
inline std::size_t digits(const CodePoints& text, std::size_t at, bool each_alone) {
  if (is_number(text[at])) return each_alone ? at + 1 : run(text, at, is_number);
  return run(text, at, [](char32_t c) { return !is_number(c); });
}

}  // namespace words

/// Byte-level byte-pair encoding, as the tokenizer.json of GPT-2, Llama 3, SmolLM2 and Qwen describe it. Texts are in
/// NFC. Tokens that a post-processor adds around a text are left out.
class Tokenizer {
 public:
  /// Throws graft::Error naming the file and the field for a tokenizer of another kind.
  static Tokenizer load(const std::string& path) {
    try {
      return Tokenizer(nlohmann::json::parse(graft::read_whole(path)));
    } catch (graft::Error& error) {
      throw error.file(path);
    } catch (const nlohmann::json::exception& error) {
      throw graft::Error(std::string("is not a tokenizer.json: ") + error.what()).file(path);
    }
  }

  explicit Tokenizer(const nlohmann::json& file) {
    expect(file, "model.type", {"BPE"});
    for (const char* const unused : {"model.dropout", "model.continuing_subword_prefix", "model.end_of_word_suffix"})
      expect(file, unused, {nullptr, "", 0.0});
    expect(file, "model.byte_fallback", {nullptr, false});
    if (const nlohmann::json& normalizer = at(file, "normalizer"); !normalizer.is_null()) {
      expect(file, "normalizer.type", {"NFC"});
      is_nfc_ = true;
    }
    read_words(at(file, "pre_tokenizer"), "pre_tokenizer");
    if (!is_byte_level_) throw graft::Error("has no ByteLevel").field("pre_tokenizer");
    read_vocabulary(file.at("model"));
    read_merges(file.at("model"));
    read_added(at(file, "added_tokens"));
    takes_whole_words_ = file.at("model").value("ignore_merges", false);
    has_unknown_ = !at(file, "model.unk_token").is_null();
  }

  /// The highest id, and one.
  std::size_t size() const { return bytes_of_.size(); }

  /// Bytes without a token are left out, as by the package tokenizers. Throws graft::Error if the text is not UTF-8, or
  /// not in the form that the tokenizer needs, and for such a byte if the tokenizer has a token of unknown ones.
  std::vector<std::int64_t> encode(std::string_view text) const {
    std::vector<std::int64_t> ids;
    std::unordered_map<std::string, std::vector<std::int64_t>> known;
    std::size_t begun = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const std::pair<std::string, std::int64_t>* const added = at < text.size() ? added_at(text, at) : nullptr;
      if (added == nullptr && at < text.size()) continue;
      encode_plain(text.substr(begun, at - begun), known, ids);
      if (added == nullptr) break;
      ids.push_back(added->second);
      begun = at + added->first.size();
      at = begun - 1;
    }
    return ids;
  }

  /// The bytes of the tokens. Ids without a token are left out.
  std::string decode(std::span<const std::int64_t> ids) const {
    std::string text;
    for (const std::int64_t id : ids)
      if (id >= 0 && static_cast<std::size_t>(id) < bytes_of_.size()) text += bytes_of_[static_cast<std::size_t>(id)];
    return text;
  }

 private:
  using Json = nlohmann::json;
  struct Merge {
    std::size_t rank;
    std::int64_t id;
  };

  /// The member at a path with dots; null if there is none.
  static const Json& at(const Json& file, std::string_view path) {
    static const Json null;
    const Json* here = &file;
    while (!path.empty()) {
      const std::string key(path.substr(0, path.find('.')));
      path.remove_prefix(std::min(path.size(), key.size() + 1));
      const auto found = here->is_object() ? here->find(key) : here->end();
      if (!here->is_object() || found == here->end()) return null;
      here = &*found;
    }
    return *here;
  }
  static void expect(const Json& file, const std::string& path, std::initializer_list<Json> allowed,
                     const std::string& within = {}) {
    const Json& found = at(file, path);
    if (std::ranges::find(allowed, found) != allowed.end()) return;
    std::string list;
    for (const Json& one : allowed) list += (list.empty() ? "" : " or ") + one.dump();
    throw graft::Error("expected " + list + ", found " + found.dump() +
                       "; byte-level BPE as of GPT-2, Llama 3, SmolLM2 and Qwen can be read, else give ids in a .npy")
        .field(within + path);
  }

  void read_words(const Json& part, const std::string& path) {
    const Json& type = at(part, "type");
    if (type == "Sequence") {
      const Json& parts = at(part, "pretokenizers");
      for (std::size_t i = 0; i < parts.size(); ++i)
        read_words(parts[i], path + ".pretokenizers[" + std::to_string(i) + "]");
    } else if (type == "Digits") {
      const bool each_alone = part.value("individual_digits", false);
      splits_.emplace_back([each_alone](const CodePoints& text, std::size_t i) {
        return words::digits(text, i, each_alone);
      });
    } else if (type == "Split") {
      expect(part, "behavior", {"Isolated"}, path + ".");
      expect(part, "invert", {nullptr, false}, path + ".");
      expect(part, "pattern.Regex", {words::gpt2_regex, words::llama3_regex, words::qwen2_regex}, path + ".");
      const Json& regex = at(part, "pattern.Regex");
      const std::size_t digits = regex == words::qwen2_regex ? 1 : 3;
      if (regex == words::gpt2_regex) splits_.emplace_back(words::gpt2);
      else
        splits_.emplace_back([digits](const CodePoints& text, std::size_t i) {
          return words::llama3(text, i, digits);
        });
    } else {
      expect(part, "type", {"ByteLevel", "Sequence", "Digits", "Split"}, path + ".");
      expect(part, "add_prefix_space", {nullptr, false}, path + ".");
      if (part.value("use_regex", true)) splits_.emplace_back(words::gpt2);
      is_byte_level_ = true;
    }
  }

  /// The bytes that the letters of a token stand for; empty if one stands for none.
  static std::string bytes_of(const std::string& token) {
    static const std::unordered_map<char32_t, char> bytes = [] {
      std::unordered_map<char32_t, char> result;
      char32_t next = 256;
      for (unsigned byte = 0; byte < 256; ++byte) {
        const bool is_shown = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        result.emplace(is_shown ? byte : next++, static_cast<char>(byte));
      }
      return result;
    }();
    std::string text;
    const CodePoints letters(token);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const auto found = bytes.find(letters[i]);
      if (found == bytes.end()) return {};
      text += found->second;
    }
    return text;
  }

  void set_bytes(std::int64_t id, std::string bytes) {
    constexpr std::int64_t most = std::int64_t{1} << 24;
    if (id < 0 || id > most) throw graft::Error("has the id " + std::to_string(id)).field("model.vocab");
    if (static_cast<std::size_t>(id) >= bytes_of_.size()) bytes_of_.resize(static_cast<std::size_t>(id) + 1);
    bytes_of_[static_cast<std::size_t>(id)] = std::move(bytes);
  }

  void read_vocabulary(const Json& model) {
    for (const auto& [token, number] : model.at("vocab").items()) {
      const auto id = number.get<std::int64_t>();
      std::string bytes = bytes_of(token);
      if (!bytes.empty()) ids_.emplace(bytes, id);
      set_bytes(id, bytes.empty() ? token : std::move(bytes));
    }
    for (unsigned byte = 0; byte < bytes_.size(); ++byte) {
      const auto found = ids_.find(std::string(1, static_cast<char>(byte)));
      bytes_[byte] = found == ids_.end() ? -1 : found->second;
    }
  }

  void read_merges(const Json& model) {
    std::size_t rank = 0;
    for (const Json& merge : model.at("merges")) {
      const auto refused = [&](const char* why) {
        return graft::Error(std::string(why) + ": " + merge.dump()).field("model.merges[" + std::to_string(rank) + "]");
      };
      std::string left, right;
      if (merge.is_string()) {
        const auto& text = merge.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        if (space == std::string::npos) throw refused("is not two tokens with a space between them");
        left = text.substr(0, space);
        right = text.substr(space + 1);
      } else {
        left = merge.at(0).get<std::string>();
        right = merge.at(1).get<std::string>();
      }
      const auto one = ids_.find(bytes_of(left)), other = ids_.find(bytes_of(right));
      const auto both = ids_.find(bytes_of(left) + bytes_of(right));
      if (one == ids_.end() || other == ids_.end() || both == ids_.end())
        throw refused("has a token that the vocabulary lacks");
      merges_.emplace(key(one->second, other->second), Merge{rank++, both->second});
    }
  }

  void read_added(const Json& added) {
    for (std::size_t i = 0; i < added.size(); ++i) {
      const std::string path = "added_tokens[" + std::to_string(i) + "].";
      for (const char* const option : {"lstrip", "rstrip", "single_word"})
        expect(added[i], option, {nullptr, false}, path);
      std::string content = added[i].at("content").get<std::string>();
      const auto id = added[i].at("id").get<std::int64_t>();
      set_bytes(id, content);
      if (!content.empty()) added_[static_cast<unsigned char>(content.front())].emplace_back(std::move(content), id);
    }
    for (auto& of_byte : added_)  // the longest one counts
      std::ranges::stable_sort(of_byte, std::ranges::greater(), [](const auto& one) { return one.first.size(); });
  }

  static std::uint64_t key(std::int64_t left, std::int64_t right) {
    return (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint64_t>(right);
  }

  /// The added token that begins there; nullptr if none does.
  const std::pair<std::string, std::int64_t>* added_at(std::string_view text, std::size_t at) const {
    for (const auto& one : added_[static_cast<unsigned char>(text[at])])
      if (text.substr(at).starts_with(one.first)) return &one;
    return nullptr;
  }

  void encode_plain(std::string_view text, std::unordered_map<std::string, std::vector<std::int64_t>>& known,
                    std::vector<std::int64_t>& ids) const {
    std::vector<std::string_view> pieces{text};
    for (const WordEnd& end : splits_) {
      std::vector<std::string_view> parts;
      for (const std::string_view piece : pieces) {
        const CodePoints points(piece);
        for (std::size_t at = 0; at < points.size();) {
          const std::size_t next = end(points, at);
          parts.push_back(points.part(at, next));
          at = next;
        }
      }
      pieces = std::move(parts);
    }
    if (is_nfc_) check_nfc(text);
    for (const std::string_view word : pieces) {
      auto found = known.find(std::string(word));
      if (found == known.end()) found = known.emplace(word, encode_word(word)).first;
      ids.insert(ids.end(), found->second.begin(), found->second.end());
    }
  }

  static void check_nfc(std::string_view text) {
    const CodePoints points(text);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i] >= 0x300 && points[i] < 0x370)
        throw graft::Error("has combining marks: the tokenizer needs a text in NFC");
  }

  /// Merges neighbours, those of the lowest rank first and of these the leftmost.
  std::vector<std::int64_t> encode_word(std::string_view word) const {
    if (takes_whole_words_)
      if (const auto whole = ids_.find(std::string(word)); whole != ids_.end()) return {whole->second};
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct Part {
      std::int64_t id;
      std::size_t before, behind;
    };
    struct Candidate {
      std::size_t rank, at;
      std::uint64_t pair;
      bool operator>(const Candidate& other) const { return std::pair(rank, at) > std::pair(other.rank, other.at); }
    };
    std::vector<Part> parts;
    for (const char letter : word) {
      const std::int64_t id = bytes_[static_cast<unsigned char>(letter)];
      if (id >= 0) parts.push_back({id, parts.size() - 1, parts.size() + 1});
      else if (has_unknown_)
        throw graft::Error("lacks byte " + std::to_string(static_cast<unsigned char>(letter))).field("model.vocab");
    }
    if (!parts.empty()) parts.front().before = parts.back().behind = none;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    const auto consider = [&](std::size_t at) {
      if (at == none || parts[at].behind == none) return;
      const std::uint64_t pair = key(parts[at].id, parts[parts[at].behind].id);
      const auto found = merges_.find(pair);
      if (found != merges_.end()) candidates.push({found->second.rank, at, pair});
    };
    for (std::size_t at = 0; at < parts.size(); ++at) consider(at);
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      Part& part = parts[best.at];
      if (part.id < 0 || part.behind == none || key(part.id, parts[part.behind].id) != best.pair) continue;
      Part& merged = parts[part.behind];
      part.id = merges_.at(best.pair).id;
      part.behind = merged.behind;
      merged.id = -1;
      if (part.behind != none) parts[part.behind].before = best.at;
      consider(part.before);
      consider(best.at);
    }
    std::vector<std::int64_t> ids;
    for (const Part& part : parts)
      if (part.id >= 0) ids.push_back(part.id);
    return ids;
  }

  std::vector<WordEnd> splits_;
  bool is_byte_level_ = false, is_nfc_ = false, takes_whole_words_ = false, has_unknown_ = false;
  std::unordered_map<std::string, std::int64_t> ids_;  // by bytes
  std::vector<std::string> bytes_of_;                  // by id
  std::array<std::int64_t, 256> bytes_{};              // their ids
  std::unordered_map<std::uint64_t, Merge> merges_;    // by the two ids
  std::array<std::vector<std::pair<std::string, std::int64_t>>, 256> added_{};  // by the first byte
};
