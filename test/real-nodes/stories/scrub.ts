/**
 * Takes out of a recording, or of what was played, what differs from run to run: ids, times, addresses. Both are scrubbed alike, so that
 * equal texts mean the same.
 */
export function scrub(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return JSON.parse(RULES.reduce((all, [pattern, replacement]) => all.replace(pattern, replacement), text))
}

// In JSON the letter of an escaped newline may come before what begins a line, so that there is no `\\b`.
const RULES: readonly (readonly [RegExp, string])[] = [
  // Recordings have times, ids and addresses with numbers: which one it is does not count.
  [/"<\+\d+s>"/g, '"<time>"'],
  [/<\+\d+s>|(?<!\d)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{8,9}Z/g, '<time>'],
  [/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"/g, '"<time>"'],
  [/<(podIP6?|id|uid|sandbox|[a-z][a-z0-9-]*)-\d+>/g, (_: string, kind: string) => `<${kind.startsWith('podIP') ? 'ip' : 'id'}>`] as never,
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/sha256:(<digest>|[0-9a-f]{64})/g, 'sha256:<digest>'],
  [/\b[0-9a-f]{64}\b/g, '<id>'],
  [/(?<![0-9.])10\.244\.\d+\.\d+(?![0-9.])/g, '<ip>'],
  [/(?<![0-9a-f:])fd00:244:[0-9a-f:]+/g, '<ip>'],
  [/fe80::[0-9a-f:]+(?=\/64)/g, '<link-ip>'],
  [/10\.244\.\d+\.0\/24/g, '<pod-range>'],
  // Sizes of certificates and tokens, and of this machine's memory.
  [/ +\d+ (<date>|[A-Z][a-z]{2} \d\d \d\d:\d\d) (ca\.crt|token)/g, ' <size> <date> $2'],
  [/"host_id":\d+/g, '"host_id":"<host-id>"'],
  [/\b0 +\d{6,10} +65536/g, '0 <host-id> 65536'],
  [/(?<!\d)\d{4,5} 0\.log/g, '<size> 0.log'],
  [/\/tmp\/bowsprit-stories-\w+\/kubelet\//g, '/var/lib/kubelet/'],
  [/read udp [^>]*->/g, 'read udp <from>->'],
  [/size=2\d{7}k/g, 'size=<memory>'],
  [/\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+/g, '..<stamp>'],
  [/[A-Z][a-z]{2} \d\d \d\d:\d\d/g, '<date>'],
  [/eth0@if\d+/g, 'eth0@if'],
  [/(\/containers\/[a-z-]+\/)[0-9a-f]{8}\b/g, '$1<id>'],
  [/kube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<suffix>'],
  [/("io\.kubernetes\.container\.hash":)"[^"]*"/g, '$1"<hash>"'],
  [/"\/(bowsprit-test-\d+\/)?kubepods\//g, '"/kubepods/'],
  // Of control groups of version 1 the kubelet tells sometimes that their memory is not limited.
  [/"memory":"9007199254740988Ki"/g, ''],
  [/"resources":\{"limits":\{\}/g, '"resources":{'],
  [/"resources":\{,/g, '"resources":{'],
  [/(?<![0-9.])192\.0\.2\.1\d(?!\d)/g, '<node-ip>'],
  [/\bfd00:2::1\d\b/g, '<node-ip>'],
  [/\bnode-[12]\b/g, 'node-1'],
]
