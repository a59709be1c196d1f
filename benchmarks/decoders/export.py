"""Exports tiny random decoders with key-value caches, by optimum and by torch's dynamo exporter.

  python benchmarks/decoders/export.py FOLDER [--architectures llama qwen2 ...] [--ways optimum14_eager ...] [--half]

It needs torch, transformers below 4.58, optimum-onnx and onnxscript. The models have two layers, and symbolic batch,
past and total lengths. They are FOLDER/ARCHITECTURE_WAY.onnx. The weights are random, from a fixed seed.
"""

import argparse
import pathlib
import shutil
import tempfile
import warnings

import torch
import transformers

COMMON = dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, max_position_embeddings=128, bos_token_id=1,
              eos_token_id=2, pad_token_id=0)
HEADS = dict(num_attention_heads=4)
GATED = dict(**COMMON, **HEADS, intermediate_size=48, num_key_value_heads=2)
ARCHITECTURES = {
    "llama": ("Llama", GATED),
    "qwen2": ("Qwen2", GATED),
    "qwen3": ("Qwen3", dict(GATED, head_dim=8)),
    "gemma2": ("Gemma2", dict(GATED, head_dim=8, query_pre_attn_scalar=8, sliding_window=4)),
    "gemma3": ("Gemma3", dict(GATED, head_dim=8, query_pre_attn_scalar=8, sliding_window=4,
                              layer_types=["sliding_attention", "full_attention"])),
    "mistral": ("Mistral", dict(GATED, sliding_window=None)),
    "phi": ("Phi", dict(COMMON, **HEADS, intermediate_size=48)),
    "gpt2": ("GPT2", dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=128, bos_token_id=1,
                          eos_token_id=2)),
    "opt": ("OPT", dict(COMMON, **HEADS, ffn_dim=48, word_embed_proj_dim=32)),
}
WAYS = [f"optimum{opset}_{attention}" for opset in (14, 17, 18) for attention in ("eager", "sdpa")] + [
    f"dynamo{opset}_{attention}" for opset in (18, 21, 23) for attention in ("eager", "sdpa")]


def make(architecture, attention):
    """A model whose biases are not 0, and whose scales are not 1."""
    kind, sizes = ARCHITECTURES[architecture]
    torch.manual_seed(0)
    text = "Text" if kind == "Gemma3" else ""
    config = getattr(transformers, f"{kind}{text}Config")(**sizes)
    config._attn_implementation = attention
    model = getattr(transformers, f"{kind}LMHeadModel" if kind == "GPT2" else f"{kind}ForCausalLM")(config).eval()
    model.set_attn_implementation(attention)
    with torch.no_grad():
        for weight in model.parameters():
            weight += (0.1 if weight.dim() == 1 else 0.2) * torch.randn_like(weight)
    return model


class Flat(torch.nn.Module):
    """A decoder whose cache is a list of tensors: keys and values of each layer."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, position_ids, past):
        cache = transformers.DynamicCache.from_legacy_cache(tuple(zip(past[::2], past[1::2])))
        out = self.model(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids,
                         past_key_values=cache, use_cache=True)
        return out.logits, *(each for layer in out.past_key_values.to_legacy_cache() for each in layer)


def by_dynamo(model, opset, path):
    config = model.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    dtype = next(model.parameters()).dtype
    batch, steps, before = 2, 3, 5
    past = [torch.randn(batch, heads, before, size, dtype=dtype) for _ in range(2 * config.num_hidden_layers)]
    ids = torch.randint(3, 90, (batch, steps))
    mask = torch.ones(batch, before + steps, dtype=torch.int64)
    positions = torch.arange(before, before + steps).expand(batch, -1).contiguous()
    Dim = torch.export.Dim
    b, s, p, t = (Dim(name) for name in ("batch", "sequence", "past", "total"))
    shapes = ({0: b, 1: s}, {0: b, 1: t}, {0: b, 1: s}, [{0: b, 2: p} for _ in past])
    names = [f"past_key_values.{i}.{each}" for i in range(config.num_hidden_layers) for each in ("key", "value")]
    torch.onnx.export(Flat(model), (ids, mask, positions, past), str(path), dynamo=True, opset_version=opset,
                      dynamic_shapes=shapes, input_names=["input_ids", "attention_mask", "position_ids", *names],
                      output_names=["logits", *(name.replace("past_key_values", "present") for name in names)],
                      external_data=False, verbose=False)


def by_optimum(model, opset, path):
    from optimum.exporters.onnx import onnx_export_from_model

    with tempfile.TemporaryDirectory() as folder:
        onnx_export_from_model(model, folder, opset=opset, task="text-generation-with-past", do_validation=False)
        shutil.copy(pathlib.Path(folder) / "model.onnx", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--architectures", nargs="+", choices=ARCHITECTURES, default=list(ARCHITECTURES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--half", action="store_true", help="in float16")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.folder.mkdir(parents=True, exist_ok=True)
    for architecture in options.architectures:
        for way in options.ways:
            exporter, attention = way.split("_")
            name = f"{architecture}_{way}" + ("_half" if options.half else "")
            try:
                model = make(architecture, attention)
                if options.half:
                    model = model.half()
                path = options.folder / f"{name}.onnx"
                opset = int(exporter[-2:])
                (by_dynamo if exporter.startswith("dynamo") else by_optimum)(model, opset, path)
                print(name, "exported", flush=True)
            except Exception as error:  # noqa: BLE001  # an exporter's own are many
                print(name, "failed:", str(error).strip().split("\n")[0][:300], flush=True)


if __name__ == "__main__":
    main()
