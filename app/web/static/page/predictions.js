// Predictions of a model for every bus, with the true labels.

/** Predictions of a model, from the columns of GET /predict. */
export class Predictions {
  constructor(busCount, model, columns) {
    this.model = model;
    this.classNames = model?.class_names ?? [];
    this.columns = columns;
    this.predicted = columns?.classes ?? new Array(busCount).fill(-1);
  }

  /** Probability of every class at a bus. */
  probabilities(bus) {
    return this.columns?.probabilities[bus] ?? [];
  }

  confidence(bus) {
    return this.probabilities(bus)[this.predicted[bus]] ?? null;
  }

  /** Position of the true class; -1 if it is unknown. */
  truth(bus) {
    return this.columns?.truth[bus] ?? -1;
  }

  truthName(bus) {
    return this.classNames[this.truth(bus)] ?? null;
  }

  isWrong(bus) {
    return this.truth(bus) >= 0 && this.truth(bus) !== this.predicted[bus];
  }

  /** "train", "validation", "test" or null. */
  partOf(bus) {
    return this.columns?.parts[bus] ?? null;
  }

  isTraining(bus) {
    return this.partOf(bus) === "train";
  }
}
