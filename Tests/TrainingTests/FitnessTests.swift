// Fitness and fatigue against their definitions.

import Testing
import Training

@Suite struct FitnessTests {
  private func fitness(_ loads: [Double]) -> Fitness {
    var fitness = Fitness()
    for load in loads { fitness.add(load) }
    return fitness
  }

  @Test("after 42 days of the same load fitness has 63.2 % of it, and fatigue after 7 days")
  func timeConstants() {
    let expected = 63.212_055_882_855_77
    #expect(abs(fitness(Array(repeating: 100, count: 42)).fitness - expected) < 1e-9)
    #expect(abs(fitness(Array(repeating: 100, count: 7)).fatigue - expected) < 1e-9)
  }

  @Test("form is fitness minus fatigue of the day before")
  func form() {
    let before = fitness([80, 0, 120])
    #expect(fitness([80]).form == 0)
    #expect(fitness([80, 0, 120, 300]).form == before.fitness - before.fatigue)
    #expect(fitness([80, 0, 120, 300]).form < 0)
  }

  @Test("without training fatigue falls faster than fitness, and form rises above 0")
  func rest() {
    let rested = fitness(Array(repeating: 100, count: 60) + Array(repeating: 0, count: 14))
    #expect(rested.fatigue < 15 && rested.fitness > 50 && rested.form > 30)
  }
}
