import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { hasCode } from '../../base/has-code.ts'
import type { Logger } from '../../base/logger.ts'
import type { StaleFlow } from './stale-flows.ts'

/** The kernel's table of connections. */
export interface Conntrack {
  forget(flows: readonly StaleFlow[]): Promise<void>
}

const run = promisify(execFile)

/** By the program `conntrack`. Where it is missing, old flows of UDP live until their time-out, and the log says so once. */
export function machineConntrack(log: Logger): Conntrack {
  let missing = false
  return {
    async forget(flows) {
      for (const flow of missing ? [] : flows) {
        try {
          await run('conntrack', argumentsOf(flow))
        } catch (error) {
          // It ends with 1 where there was no such flow.
          missing ||= hasCode(error, 'ENOENT')
        }
      }
      if (missing && flows.length > 0)
        log.info('the program conntrack is not installed: flows of UDP to endpoints that are gone end with their time-out')
    },
  }
}

/** Pure. */
export function argumentsOf({ family, to, nodePort, endpoint }: StaleFlow): string[] {
  return [
    ...['-D', '-p', 'udp', '-f', family === 'ip' ? 'ipv4' : 'ipv6'],
    ...(to === undefined ? [] : ['--orig-dst', to]),
    ...(nodePort === undefined ? [] : ['--orig-port-dst', String(nodePort)]),
    ...(endpoint === undefined ? [] : ['--dst-nat', endpoint]),
  ]
}
