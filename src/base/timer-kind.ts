/**
 * `routine`: one of endless repetitions that change nothing while nothing else happens (a heartbeat, a look at what is usually as it was).
 * A virtual clock may leave repetitions out; each is still played before and after anything else that falls due.
 */
export type TimerKind = 'routine'
