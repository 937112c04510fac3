// Predictions of a model for every bus, beside the known labels.

/** Predictions of a model, from the columns of GET /predict. */
export class Predictions {
  constructor(busCount, model, columns) {
    this.model = model;
    this.classNames = model?.class_names ?? [];
    this.columns = columns;
    this.predicted = columns?.classes ?? new Array(busCount).fill(-1);
    this.answers = columns?.answers ?? this.predicted;
  }

  /** Probability of every class at a bus. */
  probabilities(bus) {
    return this.columns?.probabilities[bus] ?? [];
  }

  confidence(bus) {
    return this.probabilities(bus)[this.predicted[bus]] ?? null;
  }

  /** Position of the class that the label set gives the bus; -1 if it gives none. */
  known(bus) {
    return this.columns?.known_labels[bus] ?? -1;
  }

  knownName(bus) {
    return this.classNames[this.known(bus)] ?? null;
  }

  isKnown(bus) {
    return this.known(bus) >= 0;
  }

  /** Names of the classes that the bus may have; null if the labels are too few for a set. */
  predictionSet(bus) {
    return this.columns?.prediction_sets[bus]?.map((index) => this.classNames[index]) ?? null;
  }

  /** "known", "good", "uncertain" or "doubtful", with the reasons in brackets. */
  qualityText(bus) {
    const reasons = this.columns?.reasons[bus] ?? [];
    const quality = this.columns?.quality[bus] ?? "";
    return reasons.length ? `${quality} (${reasons.join(", ")})` : quality;
  }

  /** Coverage of the prediction sets, and the promise in words. */
  get promise() {
    return this.columns?.promise ?? null;
  }

  isWrong(bus) {
    return this.isKnown(bus) && this.known(bus) !== this.predicted[bus];
  }

  /** Whether the method was chosen automatically; known buses are then predicted out of fold. */
  get isChoice() {
    return this.model?.kind === "auto";
  }

  /** Whether some labelled buses were kept apart for validation or testing. */
  get hasSplit() {
    return (this.columns?.parts ?? []).some((part) => part === "validation" || part === "test");
  }

  /** "train", "validation", "test" or null. */
  partOf(bus) {
    return this.columns?.parts[bus] ?? null;
  }

  isTraining(bus) {
    return this.partOf(bus) === "train";
  }
}
