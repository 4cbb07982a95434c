// What the verbs take that are about the rider and the ride, and those that carry all that was learned to another card.

extension Option {
  public static let add = Option(
    "add", .required(Word("SENSOR", .sensor)), "Count SENSOR among those of the bike; may be given again",
    repeated: true)
  public static let drop = Option(
    "drop", .required(Word("SENSOR", .sensor)), "Count it among them no more; may be given again", repeated: true)
  public static let remove = Option("remove", .none, "Forget the bike; its sensors stay paired")
}

extension Verb {
  static let ride = Verb(
    "ride", "Show the ride, begin a ride or a lap, pause, or go on", group: .ride,
    details: [
      "Without ACTION, the ride so far is shown: time, distance, averages, the current lap, the finished laps, training numbers and "
        + "zones. With --json it is the last sample of each kind that the ride has, and an object with the finished laps if there are any.",
      "A ride begins by itself with the first movement after three hours without any, pauses while the bike stands, and "
        + "goes on when it moves. This is for what the rider knows better: new ends the ride that is and begins another from 0, lap "
        + "begins the next lap, pause counts nothing more until resume, however the bike moves.",
    ],
    arguments: [Argument("ACTION", .oneOf(["new", "lap", "pause", "resume"]), required: false)],
    examples: [
      Example("cyclo ride", "how far, how long, how hard?"),
      Example("cyclo ride new", "on the train, before another tour begins"),
      Example("cyclo ride lap", "a button of the handlebar does this"),
    ])

  static let rider = Verb(
    "rider", "Show or change what is known of the rider", group: .ride,
    details: [
      "SETTING is KEY=VALUE, and there may be several; KEY VALUE is taken too. KEY= forgets it. Without any, what there is to know, "
        + "and what is known, is shown.",
      "Power zones, intensity factor and training stress score need threshold_power; W' balance needs w_prime too. Heart-rate "
        + "load needs resting_bpm, max_bpm and sex.",
      "Zones are made of zone_floors, else of threshold_bpm, else of max_bpm. Energy without a power meter needs weight, age "
        + "and sex. What is not known is not guessed: the numbers that need it are then not there. A weight may have a unit "
        + "(kg, lb; kg otherwise).",
      "It is kept for the daemon's user alone to read, and control.sock alone tells it.",
    ],
    arguments: [Argument("SETTING", .riderSetting, required: false, repeated: true)],
    examples: [
      Example("cyclo rider weight=72.5kg age=41 sex=female", "energy from the heart rate"),
      Example("cyclo rider zone_floors=95,114,133,152,171", "zones as a test found them"),
      Example("cyclo rider threshold_power=260 w_prime=20kJ", "training stress score and W' balance"),
      Example("cyclo rider max_bpm=", "as if it had never been told"),
    ])

  static let bike = Verb(
    "bike", "Show bikes, or say what belongs to one", group: .ride,
    details: [
      "A bike is a name for sensors that ride together, with the size of its wheels and what its tires should have. Without NAME all "
        + "are shown, and which is ridden; with NAME alone, one. With anything more a bike that is not there yet is made.",
      "Which bike is ridden is seen from the sensors that wake up: those that belong to one bike alone count, so give a radar that "
        + "changes between two to both. A strap is worn, and says nothing of a bike.",
      "SETTING is KEY=VALUE, and there may be several; KEY VALUE is taken too, and KEY= takes it back. circumference, front_pressure and rear_pressure go for "
        + "those of its sensors of which 'cyclo set' has not said it, and so do the bounds beyond which you are warned: "
        + "front_lowest_pressure, front_highest_pressure, the same of rear, and highest_temperature. Which tire is which, role says. name=OTHER gives the bike another name. "
        + howSensorsAreNamed,
    ],
    arguments: [
      Argument("NAME", .bike, required: false), Argument("SETTING", .bikeSetting, required: false, repeated: true),
    ],
    options: [.add, .drop, .remove],
    examples: [
      Example("cyclo bike Gravel --add wheel --add assioma circumference=2200mm", "a bike, by its sensors"),
      Example("cyclo bike Gravel front_pressure=2.5bar rear_pressure=2.7bar", "what its tires should have"),
      Example("cyclo bike", "which is ridden?"),
    ])

  static let export = Verb(
    "export", "Write down everything that was learned", group: .ride,
    details: [
      "Sensors with their names and settings, the rider and the bikes: for a new card or another computer, where 'cyclo import' takes it. "
        + "FILE is replaced whole, for its owner alone to read; without it, and for -, it goes to standard output.",
      "The keys of bonds are not in it: they are bluetoothd's, in /var/lib/bluetooth.",
    ],
    arguments: [Argument("FILE", .file, required: false)],
    examples: [
      Example("cyclo export cyclometer.json", "before the card is changed"),
      Example("cyclo export | jq .rider", "a look at it"),
    ])

  static let `import` = Verb(
    "import", "Take what 'cyclo export' has written", group: .ride,
    details: [
      "All of FILE is looked at first: where something in it cannot be, it says what, and nothing changes. FILE may be - for standard "
        + "input.",
      "A sensor that is here already, by its address, keeps its id and takes name and settings from the file; the others are added, and "
        + "connected as soon as they are heard. Sensors that only are here stay. The rider and the bikes are replaced. What was bonded there has to be "
        + "paired again here: the command that does it is shown.",
    ],
    arguments: [Argument("FILE", .file)],
    examples: [
      Example("cyclo import cyclometer.json", "on the new card")
    ])
}
