"""The aims of the project, and whether they were met."""


class Aims:
    def __init__(self, widest):
        self.widest = widest  # the placement
        self.lines = []

    def add(self, what, figure, aim, floor=None, form="{:.3f}", least=True):
        """least: whether the aim is a lower limit, else an upper one. A figure of None was not measured."""
        if figure is None:
            return
        meets = (lambda bound: figure >= bound) if least else (lambda bound: figure <= bound)
        verdict = "met" if meets(aim) else "above the floor" if floor is not None and meets(floor) else "MISSED"
        bounds = form.format(aim) + (f" (floor {form.format(floor)})" if floor is not None else "")
        self.lines.append(f"{what:<74}{form.format(figure):>9}   aim {bounds:<24}{verdict}")

    def add_models(self, results):
        """results: by subject and label."""
        def figure(subject, label, what):
            result = results.get(subject, {}).get(label)
            return result and getattr(result, what)

        def speed(subject, over):
            ours, theirs = (figure(subject, label, "milliseconds") for label in (self.widest, over))
            return ours and theirs and theirs / ours

        resnet = "made-up/resnet50v2"
        for subject, aim, floor in ((resnet, 3.1, 2.9), ("made-up/mobilenetv2", 1.85, 1.75),
                                    ("made-up/efficientnet_lite4", 2.4, 2.25)):
            self.add(f"{subject}: {self.widest} over FP32", speed(subject, "FP32"), aim, floor, "{:.2f}x")
        for subject in results:
            aim, floor = (1.25, 1.2) if subject == resnet else (0.97, None)
            for label in ("quantize_static", "quantize_static unprepared"):
                self.add(f"{subject}: {self.widest} over {label}", speed(subject, label), aim, floor, "{:.2f}x")

        accuracies = (("real/mobilenetv2", "default", 0.995, 0.993, 0.95, 0.92),
                      ("real/mobilenetv2", "default per-tensor", 0.990, 0.988, 0.92, 0.90),
                      ("real/squeezenet", "default", 0.996, None, 0.96, None))
        for subject, label, cosine, least_cosine, agreement, least_agreement in accuracies:
            self.add(f"{subject}: {label}: cosine", figure(subject, label, "cosine"), cosine, least_cosine, "{:.4f}")
            self.add(f"{subject}: {label}: top-1", figure(subject, label, "agreement"), agreement, least_agreement,
                     "{:.1%}")
        for subject in results:
            theirs = figure(subject, "quantize_static", "cosine")
            if theirs is not None:
                self.add(f"{subject}: cosine of {self.widest}, quantize_static's at least",
                         figure(subject, self.widest, "cosine"), theirs, None, "{:.4f}")
                best = max(result.cosine for label, result in results[subject].items() if "quantize_static" in label)
                self.add(f"{subject}: default: cosine, that of quantize_static's best at least",
                         figure(subject, "default", "cosine"), best, None, "{:.4f}")

    def add_default(self, subject, measured, expected):
        """results: of one subject, by label; expected: the speed that the program prints."""
        default, theirs = measured["default"], measured.get("quantize_static")
        speed = measured["FP32"].milliseconds / default.milliseconds
        self.add(f"{subject}: default: cosine", default.cosine, 0.95, None, "{:.4f}")
        if theirs:
            self.add(f"{subject}: default over quantize_static", theirs.milliseconds / default.milliseconds, 1, 0.97,
                     "{:.2f}x")
        if expected:
            self.add(f"{subject}: default: expected speed, times too high or too low",
                     max(speed / expected, expected / speed), 1.2, None, "{:.2f}", least=False)

    def add_openvino(self, subject, measured):
        """results: of one subject, by label."""
        ours, theirs = measured.get("openvino-cpu"), measured.get("nncf")
        if ours and theirs:
            self.add(f"{subject}: openvino-cpu over nncf", theirs.milliseconds / ours.milliseconds, 1.1, 0.98,
                     "{:.2f}x")
            self.add(f"{subject}: openvino-cpu: cosine, nncf's at least", ours.cosine, theirs.cosine, None, "{:.4f}")
        for label in ("onednn", "ort-cpu-x64"):
            if ours and label in measured:
                self.add(f"{subject}: openvino-cpu over {label}", measured[label].milliseconds / ours.milliseconds, 1,
                         0.98, "{:.2f}x")

    def add_costs(self, subject, measured):
        """results: of one subject, by label."""
        shipped, own = measured["shipped costs"], measured["own costs"]
        self.add(f"{subject}: own costs over shipped", shipped.milliseconds / own.milliseconds, 1, 0.98, "{:.3f}x")

    def print(self):
        missed = sum(line.endswith("MISSED") for line in self.lines)
        print(f"\nAims: {len(self.lines) - missed} of {len(self.lines)} met or above the floor")
        print("\n".join(self.lines))


