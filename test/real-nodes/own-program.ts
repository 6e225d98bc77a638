import type { Pod } from '../../src/resources/types/core.ts'

/** The images here have the suite's server as a program of its own. */
export function withOwnProgram(pod: Pod): Pod {
  const containers = pod.spec.containers.map((one) => (one.args?.[0] === 'netexec' ? { ...one, command: one.args, args: [] } : one))
  return { ...pod, spec: { ...pod.spec, containers } }
}
