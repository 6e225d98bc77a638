import { CSI_CONTROLLER } from '../../../src/sdk/csi/controller-service.ts'
import type { CsiStorageDriver } from '../../../src/sdk/csi/csi-driver.ts'
import { driverServices } from '../../../src/sdk/csi/driver-services.ts'
import { CSI_IDENTITY } from '../../../src/sdk/csi/identity.ts'
import { CSI_NODE } from '../../../src/sdk/csi/node-service.ts'
import { GrpcError, grpcCode } from '../../../src/sdk/grpc/grpc-error.ts'
import type { UnaryMethod } from '../../../src/sdk/grpc/method.ts'
import type { serveUnix } from '../../../src/sdk/grpc/serve-unix.ts'

/** What a story makes the driver do at a call; without a code it is only late. */
export interface Fault {
  readonly code: number
  readonly message: string
  readonly delayMs?: number
  /** How often; default: always. */
  readonly times?: number
  /** The work is done before the error. */
  readonly after?: boolean
}

export interface DriverCall {
  readonly call: string
  readonly request: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

type Serve = Parameters<typeof serveUnix>[1][number]
type Server = Parameters<Serve>[0]
type Register = Server['register']

const METHODS = new Map(
  [CSI_IDENTITY, CSI_CONTROLLER, CSI_NODE].flatMap((service) =>
    Object.values(service).map((m: UnaryMethod<never, unknown>) => [m.path, m]),
  ),
)

/**
 * The driver's services, with their calls written down and with the faults of the moment; the name of a call comes without its service's.
 */
export function recordedServices(
  driver: CsiStorageDriver,
  calls: DriverCall[],
  faultOf: (call: string) => Fault | undefined,
): readonly Serve[] {
  return driverServices(driver).map(
    (serve): Serve =>
      (server) =>
        serve(Object.create(server, { register: { value: recorded(server) } })),
  )

  function recorded(server: Server): Register {
    return (path, handler, serialize, deserialize, type) => {
      const name = path.split('/').at(-1) ?? ''
      const wrapped = async (call: { request: Buffer }, done: (error: unknown, answer?: Buffer) => void) => {
        const request = METHODS.get(path)?.request.decode(call.request)
        const fault = faultOf(name)
        if (fault?.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
        const fails = fault !== undefined && fault.code !== 0
        const finish = (error: unknown, answer?: Buffer) => {
          const seen = fails ? { code: grpcCode(fault.code), message: fault.message } : errorOf(error)
          calls.push({ call: name, request, ...(seen && { error: seen }) })
          if (fails) done({ code: fault.code, details: fault.message })
          else done(error, answer)
        }
        if (fails && fault.after !== true) finish(undefined)
        else (handler as (call: unknown, done: typeof finish) => void)(call, finish)
      }
      return server.register(path, wrapped as typeof handler, serialize, deserialize, type)
    }
  }
}

export function takeFault(faults: Map<string, Fault>, name: string): Fault | undefined {
  const fault = faults.get(name)
  if (fault?.times === undefined) return fault
  if (fault.times <= 1) faults.delete(name)
  else faults.set(name, { ...fault, times: fault.times - 1 })
  return fault
}

function errorOf(error: unknown): DriverCall['error'] {
  if (error === null || error === undefined) return undefined
  const { code = 2, details = '' } = error as { code?: number; details?: string }
  return { code: error instanceof GrpcError ? error.code : grpcCode(code), message: details }
}
