import { messageOf } from '../../base/message-of.ts'
import type { Steps } from '../../base/steps.ts'
import type { DeviceClass, DeviceSelector, ExactDeviceRequest, ResourceClaim } from '../../resources/types/resource.ts'
import { DeviceAllocationError } from './allocation-error.ts'
import { type Consumed, consumptionOf } from './capacity.ts'
import type { DeviceSelectors } from './device-selectors.ts'
import type { PoolDevice } from './pools.ts'
import { type SearchBudget, SearchTimeout } from './search-budget.ts'

export interface RequestOptionInit {
  readonly claim: Readonly<ResourceClaim>
  /** The claim's number among those of the search. */
  readonly claimIndex: number
  /** `request`, or `request/alternative`. */
  readonly name: string
  readonly request: ExactDeviceRequest
}

export interface RequestOptionDeps {
  readonly classes: (name: string) => Readonly<DeviceClass> | undefined
  readonly selectors: DeviceSelectors
  readonly budget: SearchBudget
}

/** One way to serve a request of a claim: the request itself, or one of its alternatives. Remembers what it found out about devices. */
export class RequestOption {
  readonly claimIndex: number
  readonly name: string
  readonly request: ExactDeviceRequest
  /** How many devices it takes. */
  count: number
  /** With allocation mode All: these devices and no others. */
  all: readonly PoolDevice[] | undefined
  readonly #claim: Readonly<ResourceClaim>
  readonly #deps: RequestOptionDeps
  readonly #selected = new Map<PoolDevice, boolean>()
  readonly #consumption = new Map<PoolDevice, Consumed | undefined>()

  constructor({ claim, claimIndex, name, request }: RequestOptionInit, deps: RequestOptionDeps) {
    this.#claim = claim
    this.#deps = deps
    this.claimIndex = claimIndex
    this.name = name
    this.request = request
    this.count = Number(request.count ?? 1)
  }

  /** `claim default/gpu, request r`, as messages name it: an alternative by its own name. */
  get title(): string {
    return `${titleOf(this.#claim)}, request ${this.name.slice(this.name.indexOf('/') + 1)}`
  }

  /** Whether the selectors of class and request select the device. */
  *selects(device: PoolDevice): Steps<boolean> {
    let selected = this.#selected.get(device)
    if (selected === undefined) {
      const { deviceClassName, selectors = [] } = this.request
      const ofClass = this.#deps.classes(deviceClassName)?.spec?.selectors ?? []
      selected =
        (yield* this.#allSelect(ofClass, device, `class ${deviceClassName}`)) &&
        (yield* this.#allSelect(selectors, device, titleOf(this.#claim)))
      this.#selected.set(device, selected)
    }
    return selected
  }

  /** The consumed capacity of the device; undefined: the request exceeds the device's total. */
  consumptionOn(device: PoolDevice): Consumed | undefined {
    if (!this.#consumption.has(device)) this.#consumption.set(device, consumptionOf(this.request, device.device))
    return this.#consumption.get(device)
  }

  *#allSelect(selectors: readonly DeviceSelector[], device: PoolDevice, owner: string): Steps<boolean> {
    const { selectors: compiled, budget } = this.#deps
    for (const [i, { cel }] of selectors.entries()) {
      if (cel === undefined) continue
      try {
        if (!(yield* compiled.selects(cel.expression, device, budget))) return false
      } catch (error) {
        if (error instanceof SearchTimeout) throw error
        throw new DeviceAllocationError('selector', `${owner}: selector #${i}: ${messageOf(error)}`)
      }
    }
    return true
  }
}

export const titleOf = ({ metadata: { namespace, name } }: Readonly<ResourceClaim>) => `claim ${namespace}/${name}`
