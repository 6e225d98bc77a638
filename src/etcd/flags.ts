/** The kinds of etcd's flags, as Go's `flag` reads them: a switch needs no value. */
type FlagKind = 'text' | 'switch' | 'number'

/** Flags that are followed. */
const FOLLOWED = {
  name: ['text', 'default'],
  'data-dir': ['text', ''],
  'listen-client-urls': ['text', 'http://localhost:2379'],
  'advertise-client-urls': ['text', 'http://localhost:2379'],
  'listen-peer-urls': ['text', 'http://localhost:2380'],
  'initial-advertise-peer-urls': ['text', 'http://localhost:2380'],
  'unsafe-no-fsync': ['switch', 'false'],
  'log-level': ['text', 'info'],
  'cert-file': ['text', ''],
  'key-file': ['text', ''],
  'client-cert-auth': ['switch', 'false'],
  'trusted-ca-file': ['text', ''],
  'initial-cluster': ['text', ''],
  'max-txn-ops': ['number', '128'],
  'quota-backend-bytes': ['number', '0'],
  version: ['switch', 'false'],
} as const satisfies Readonly<Record<string, readonly [FlagKind, string]>>

/** Flags of etcd 3.6 that are accepted without effect: there is one member, one file, and no raft. */
const TEXTS = `
  wal-dir snapshot-count heartbeat-interval election-timeout listen-client-http-urls max-snapshots max-wals
  backend-bbolt-freelist-type backend-batch-interval backend-batch-limit max-request-bytes max-concurrent-streams
  grpc-keepalive-min-time grpc-keepalive-interval grpc-keepalive-timeout raft-read-timeout raft-write-timeout feature-gates
  initial-cluster-state initial-cluster-token discovery discovery-token discovery-endpoints discovery-dial-timeout
  discovery-request-timeout discovery-keepalive-time discovery-keepalive-timeout discovery-cert discovery-key discovery-cacert
  discovery-user discovery-password discovery-fallback discovery-proxy discovery-srv discovery-srv-name auto-compaction-retention
  auto-compaction-mode v2-deprecation client-cert-file client-key-file client-crl-file client-cert-allowed-hostname peer-cert-file
  peer-key-file peer-client-cert-file peer-client-key-file peer-trusted-ca-file peer-cert-allowed-cn peer-cert-allowed-hostname
  self-signed-cert-validity peer-crl-file cipher-suites cors host-whitelist tls-min-version tls-max-version auth-token bcrypt-cost
  auth-token-ttl metrics listen-metrics-urls logger log-outputs log-format log-rotation-config-json warning-unary-request-duration
  experimental-distributed-tracing-address distributed-tracing-address experimental-distributed-tracing-service-name
  distributed-tracing-service-name experimental-distributed-tracing-instance-id distributed-tracing-instance-id
  experimental-distributed-tracing-sampling-rate distributed-tracing-sampling-rate experimental-corrupt-check-time corrupt-check-time
  experimental-compact-hash-check-time compact-hash-check-time experimental-compaction-batch-limit compaction-batch-limit
  experimental-watch-progress-notify-interval watch-progress-notify-interval experimental-warning-apply-duration warning-apply-duration
  experimental-bootstrap-defrag-threshold-megabytes bootstrap-defrag-threshold-megabytes experimental-warning-unary-request-duration
  max-learners experimental-compaction-sleep-interval compaction-sleep-interval experimental-downgrade-check-time downgrade-check-time
  experimental-snapshot-catchup-entries snapshot-catchup-entries
`
const SWITCHES = `
  initial-election-tick-advance memory-mlock socket-reuse-port socket-reuse-address enable-grpc-gateway discovery-insecure-transport
  discovery-insecure-skip-tls-verify strict-reconfig-check pre-vote auto-tls peer-client-cert-auth peer-auto-tls enable-pprof
  enable-log-rotation experimental-enable-distributed-tracing enable-distributed-tracing experimental-initial-corrupt-check
  experimental-compact-hash-check-enabled experimental-enable-lease-checkpoint experimental-peer-skip-client-san-verification
  peer-skip-client-san-verification experimental-txn-mode-write-with-shared-buffer experimental-enable-lease-checkpoint-persist
  experimental-memory-mlock experimental-stop-grpc-service-on-defrag force-new-cluster
`

const words = (list: string) => list.trim().split(/\s+/)
const OTHERS = new Map<string, FlagKind>([
  ...words(TEXTS).map((name) => [name, 'text'] as const),
  ...words(SWITCHES).map((name) => [name, 'switch'] as const),
])

/** The parsed flags. */
export type EtcdFlags = Readonly<Record<keyof typeof FOLLOWED, string>>

/** Why the words of a command line are not etcd's; the message is that of Go's `flag`. */
export class EtcdFlagError extends Error {
  override readonly name = 'EtcdFlagError'
  readonly code = 'bad-flag'
}

const kindOf = (name: string): FlagKind | undefined => (isFollowed(name) ? FOLLOWED[name][0] : OTHERS.get(name))
const isFollowed = (name: string): name is keyof typeof FOLLOWED => Object.hasOwn(FOLLOWED, name)

/** Parses a command line by the rules of Go's `flag`; a flag that is missing may be in the environment (`ETCD_DATA_DIR`). */
export function readEtcdFlags(line: readonly string[], env: Readonly<Record<string, string | undefined>>): EtcdFlags {
  const values: Record<string, string> = {}
  for (const [name, [, initial]] of Object.entries(FOLLOWED))
    values[name] = env[`ETCD_${name.toUpperCase().replaceAll('-', '_')}`] ?? initial
  for (let i = 0; i < line.length; i++) {
    const word = line[i] ?? ''
    const m = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word)
    if (m === null) throw new EtcdFlagError(word.startsWith('-') ? `bad flag syntax: ${word}` : `'${word}' is not a valid flag`)
    const [, name = '', given] = m
    const kind = kindOf(name)
    if (kind === undefined) throw new EtcdFlagError(`flag provided but not defined: -${name}`)
    const value = given ?? (kind === 'switch' ? 'true' : line[++i])
    if (value === undefined) throw new EtcdFlagError(`flag needs an argument: -${name}`)
    if (kind === 'switch' && !/^(1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/.test(value))
      throw new EtcdFlagError(`invalid boolean value "${value}" for -${name}: parse error`)
    if (kind === 'number' && !/^\d+$/.test(value)) throw new EtcdFlagError(`invalid value "${value}" for flag -${name}: parse error`)
    if (isFollowed(name)) values[name] = value
  }
  return values as EtcdFlags
}

/** True for what Go takes as true. */
export const isOn = (value: string): boolean => /^(1|t|true)$/i.test(value)

/** The output of `etcd --help`: every flag at the beginning of a line, where programs look for them. */
export function etcdHelp(): string {
  const followed = Object.entries(FOLLOWED).map(([name, [, initial]]) => `  --${name} '${initial}'`)
  const others = [...OTHERS.keys()].map((name) => `  --${name}\n    (taken, without effect)`)
  return [
    'Usage:',
    '',
    '  etcd [flags]',
    "    Answer as etcd 3.6 does, over a store of Bowsprit's.",
    '',
    'Flags:',
    ...followed,
    ...others,
    '',
  ].join('\n')
}
