// Runs long work in slices, one in each iteration of the loop, so that the recording's commits and
// the clients are served in between. Without work the loop sleeps.
//
// Each client has a lane, whose work runs in order. Lanes take turns, so that a client with a
// hundred requests delays another one by one slice at a time.

import EventLoop
import Logbook
import Wire

/// Who waits for some work.
struct WorkLane: Hashable {
  private let owner: ObjectIdentifier?

  private init(_ owner: ObjectIdentifier?) { self.owner = owner }

  /// Exports and other work that no client waits for.
  static let background = WorkLane(nil)

  static func of(_ owner: AnyObject) -> WorkLane { WorkLane(ObjectIdentifier(owner)) }
}

final class WorkQueue {
  typealias Finish = (Refusal?) -> Void

  private struct Job {
    let work: any SlicedWork
    let finish: Finish
  }

  private struct Lane {
    let id: WorkLane
    var jobs: [Job]
  }

  /// The next one is first. None is empty.
  private var lanes: [Lane] = []
  private var hook: Hook?

  init(loop: EventLoop) {
    hook = loop.makeHook { [weak self] in self?.runSlice() }
  }

  var isEmpty: Bool { lanes.isEmpty }

  /// How much waits in the lane.
  func count(in lane: WorkLane) -> Int { lanes.first { $0.id == lane }?.jobs.count ?? 0 }

  /// `finish` is called once: with nil when nothing is left to do, or with why it failed.
  func add(_ work: any SlicedWork, in lane: WorkLane = .background, finish: @escaping Finish = { _ in }) {
    let job = Job(work: work, finish: finish)
    if let index = lanes.firstIndex(where: { $0.id == lane }) {
      lanes[index].jobs.append(job)
    } else {
      lanes.append(Lane(id: lane, jobs: [job]))
    }
    hook?.schedule()
  }

  /// The end of the service: what is unfinished is abandoned, and `finish` is not called.
  func stop() { lanes = [] }

  private func runSlice() {
    guard let lane = lanes.first, let job = lane.jobs.first else { return }
    var outcome: Refusal?
    var hasMore = false
    do throws(Refusal) {
      hasMore = try job.work.step()
    } catch {
      outcome = error
    }
    rotate(removing: hasMore ? nil : job.work)
    if !isEmpty { hook?.schedule() }
    if !hasMore { job.finish(outcome) }
  }

  /// It is the turn of the next lane.
  private func rotate(removing finished: (any SlicedWork)?) {
    guard !lanes.isEmpty else { return }
    var lane = lanes.removeFirst()
    if finished != nil { lane.jobs.removeFirst() }
    if !lane.jobs.isEmpty { lanes.append(lane) }
  }
}
