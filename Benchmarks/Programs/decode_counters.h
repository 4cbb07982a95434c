// Rolling counters of revolutions, by the rules in docs/metrics.md, for all profiles that send
// them. Included once.
#pragma once

#include "decode.h"

enum { second = 1000000000 };

struct advance {
  bool says_something, has_rate;
  double rate, amount;
};

static const double standstill = 3, tolerance = 5, stop_ratio = 2.5, surprise = 0.3, jitter = 1;

struct span {
  double revolutions, seconds, gap;
};

static struct span span_between(const struct event *from, const struct event *to, uint32_t mask, double ticks) {
  return (struct span){
    (to->count - from->count) & mask, (uint16_t)(to->event_time - from->event_time) / ticks,
    (double)(to->time - from->time) / second};
}

static void start_from(struct counter *counter, const struct event *packet) {
  counter->last = *packet;
  counter->agreed = packet->time;
  counter->odd.is_known = false;
}

// No more than one revolution in the time since the last one.
static struct advance held(const struct counter *counter, double gap, double unit) {
  struct advance advance = {.says_something = true, .has_rate = counter->has_rate && counter->is_published};
  if (!advance.has_rate) return advance;
  bool is_slower = gap * counter->revolutions > counter->seconds;
  advance.rate = is_slower ? unit / gap : counter->revolutions * unit / counter->seconds;
  return advance;
}

static bool is_possible(struct span span, double unit, double fastest) {
  double amount = span.revolutions * unit;
  if (span.gap - span.seconds > tolerance) return amount <= fastest * span.gap;
  return span.seconds > 0 && span.seconds - span.gap <= tolerance && amount <= fastest * span.seconds;
}

// One packet is enough to accept a change to this rate.
static bool is_expected(const struct counter *counter, struct span span, double since_agreed, double unit, double fastest) {
  double amount = span.revolutions * unit, gain = fastest * surprise;
  if (counter->has_rate && counter->is_published && span.gap - span.seconds <= tolerance) {
    return amount / span.seconds <= counter->revolutions * unit / counter->seconds + gain;
  }
  double limit = span.gap - since_agreed >= standstill ? gain : fastest;
  return amount <= limit * (since_agreed + jitter);
}

static struct advance accept(
    struct counter *counter, const struct event *packet, struct span span, double unit, double before) {
  struct advance advance = {.says_something = true, .amount = before + span.revolutions * unit};
  start_from(counter, packet);
  if (span.seconds <= 0 || span.gap - span.seconds > tolerance) {
    counter->has_rate = false;
    return advance;
  }
  bool is_turning = span.seconds < standstill * span.revolutions;
  bool is_steady = span.seconds < standstill;
  if (counter->has_rate) {
    double ratio = span.seconds * counter->revolutions / (counter->seconds * span.revolutions);
    is_steady = is_steady ? ratio <= stop_ratio : ratio >= 0.8 && ratio <= 1.25;
  }
  counter->has_rate = is_turning;
  counter->is_published = advance.has_rate = is_turning && is_steady;
  counter->revolutions = span.revolutions;
  counter->seconds = span.seconds;
  if (advance.has_rate) advance.rate = span.revolutions * unit / span.seconds;
  return advance;
}

// A second packet consistent with `odd`, the first one inconsistent with the last event.
static struct advance confirm(
    struct counter *counter, const struct event *packet, uint32_t mask, double ticks, double unit, double fastest) {
  struct span span = span_between(&counter->odd, packet, mask, ticks);
  bool stands = counter->odd.is_known && span.revolutions == 0;
  if (stands && span.gap < standstill) return (struct advance){0};
  if (!counter->odd.is_known || (!stands && !is_possible(span, unit, fastest))) {
    counter->odd = *packet;
    return (struct advance){0};
  }
  struct span before = span_between(&counter->last, &counter->odd, mask, ticks);
  double amount = is_possible(before, unit, fastest) ? before.revolutions * unit : 0;
  counter->has_rate = false;
  if (!stands) return accept(counter, packet, span, unit, amount);
  struct event first = counter->odd;
  start_from(counter, &first);
  counter->agreed = packet->time;
  return (struct advance){.says_something = true, .has_rate = true, .amount = amount};
}

// `unit` is the value of one revolution, `fastest` the highest plausible units per second.
static struct advance count_on(
    struct counter *counter, uint32_t mask, double ticks, double unit, double fastest, uint32_t count, uint16_t event_time,
    int64_t time) {
  struct event packet = {true, count, event_time, time};
  if (!counter->last.is_known) {
    start_from(counter, &packet);
    return (struct advance){0};
  }
  struct span span = span_between(&counter->last, &packet, mask, ticks);
  if (span.revolutions == 0) {
    counter->agreed = time;
    counter->odd.is_known = false;
    if (span.gap < standstill) return held(counter, span.gap, unit);
    counter->has_rate = false;
    return (struct advance){.says_something = true, .has_rate = true};
  }
  double since_agreed = (double)(time - counter->agreed) / second;
  if (span.seconds == 0 && since_agreed <= tolerance) {
    struct advance advance = held(counter, span.gap, unit);
    advance.says_something = advance.has_rate;
    return advance;
  }
  if (is_possible(span, unit, fastest) && is_expected(counter, span, since_agreed, unit, fastest)) {
    return accept(counter, &packet, span, unit, 0);
  }
  // A switch that bounced, then an older packet.
  if (span.revolutions == 1 && span.seconds > 0 && unit > fastest * span.seconds) {
    start_from(counter, &packet);
    return (struct advance){0};
  }
  struct span back = span_between(&packet, &counter->last, mask, ticks);
  bool is_older =
    back.seconds > 0 && back.seconds - back.gap <= tolerance && back.revolutions * unit <= fastest * back.seconds;
  return is_older ? (struct advance){0} : confirm(counter, &packet, mask, ticks, unit, fastest);
}
