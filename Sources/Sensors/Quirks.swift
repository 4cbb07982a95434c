// Devices that deviate from their profile so much that a decoder has to know them. Each entry has a
// capture that would be decoded differently without it.
//
// Deviations that are handled for every sensor have no entry:
// - late and repeated packets (Stages)
// - a count that changes while the clock is frozen (SRM)
// - packets cut at the default MTU (Matrix, Mr Captain)
// - a cadence without its flag (Life Fitness)
// - a rate of 0 without a paired strap (Zwift Hub)

import SensorKit

let knownQuirks: [Quirk] = [
  Quirk(
    "Wahoo CADENCE (WFPODCAD2)", [DeviceMark(name: "Wahoo CADENCE")], .wheelIsCrank,
    habit: "its crank comes as a wheel",
    source: "github.com/OpenTracksApp/OpenTracks, README_TESTED_SENSORS.md and SensorDataCycling.java",
    capture: "CyclingSpeedCadence/wahoo-cadence-quirk"),
  Quirk(
    "Favero Assioma DUO", [DeviceMark(name: "ASSIOMA")], .balanceNeedsPower,
    habit: "its balance counts only while there is power",
    source: "github.com/GoldenCheetah/GoldenCheetah, issues 2955 and 3473", capture: "CyclingPower/assioma-quirk"),
  Quirk(
    "KayakPro Genesis Port",
    [DeviceMark(name: "KayakPro"), DeviceMark(manufacturer: "North Pole Engineering", model: "64")], .energyIsShort,
    habit: "its energy is sent in fewer bytes than the rule has",
    source: "github.com/TrackMyIndoorWorkout/TrackMyIndoorWorkout, test data and device descriptors",
    capture: "FitnessMachine/kayakpro-quirk"),
]
