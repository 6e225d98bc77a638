import { goJsonFault } from '../../machinery/go/go-json-fault.ts'
import { isObject } from '../../machinery/object.ts'
import { FlexError } from './flex-error.ts'

/** What a driver says to a command; Kubernetes' `DriverStatus`. */
export interface FlexAnswer {
  readonly device: string
  readonly volumeName: string
  readonly attached: boolean
  readonly capabilities: FlexCapabilities
}

/** What a driver can do; what it leaves out has Kubernetes' default. */
export interface FlexCapabilities {
  /** Its volumes are attached to nodes before they are mounted. Default true. */
  readonly attach: boolean
  /** The node gives the files to the pod's `fsGroup`. Default true. */
  readonly fsGroup: boolean
}

const NOT_SUPPORTED = 'Not supported'

/** Reads the output of a driver. Pure. @throws {FlexError} */
export function readFlexAnswer(command: string, output: string): FlexAnswer {
  const fault = goJsonFault(output, 'flexvolume.DriverStatus')
  if (fault !== undefined) throw new FlexError(fault)
  const given: unknown = JSON.parse(output)
  const answer = isObject(given) ? given : {}
  const text = (key: string) => (typeof answer[key] === 'string' ? answer[key] : '')
  const status = text('status')
  if (status === NOT_SUPPORTED) throw new FlexError(NOT_SUPPORTED, { notSupported: true })
  if (status !== 'Success') throw new FlexError(`${command} command failed, status: ${status}, reason: ${text('message')}`)
  const capabilities = isObject(answer.capabilities) ? answer.capabilities : {}
  return {
    device: text('device'),
    volumeName: text('volumeName'),
    attached: answer.attached === true,
    capabilities: { attach: capabilities.attach !== false, fsGroup: capabilities.fsGroup !== false },
  }
}
