/**
 * How a timer differs from those that may change anything. A virtual clock leaves some repetitions out.
 * - `heartbeat`: shows that something lives, or looks whether it does. It is played around timers without a kind.
 * - `routine`: a look at what is usually as it was. It is played around everything else.
 * - `work`: the next step of a queue, a container or a store. It stops no heartbeat.
 */
export type TimerKind = 'heartbeat' | 'routine' | 'work'
