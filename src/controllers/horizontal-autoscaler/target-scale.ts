import { parseApiVersion } from '../../machinery/object.ts'
import { type CompiledLabelSelector, parseLabelSelector, SelectorError } from '../../machinery/selectors/label-selector.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Scale } from '../../resources/types/autoscaling-v1.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import { noMatch } from './metrics-source.ts'
import { type Pass, PassEnded } from './pass.ts'

export interface ScaleDeps {
  readonly client: Client
  readonly catalogue: Catalogue
}

/** The scale of an autoscaler's target. */
export interface TargetScale {
  /** The target's collection. */
  readonly ref: ResourceRef
  readonly scale: Scale
  /** Undefined: the scale has none. */
  readonly selector: CompiledLabelSelector | undefined
}

/** @throws {PassEnded} if it cannot be read */
export async function readScale(deps: ScaleDeps, pass: Pass): Promise<TargetScale> {
  try {
    return await read(deps, pass)
  } catch (error) {
    if (!(error instanceof PassEnded) && !isStatus(error)) throw error
    pass.warn('FailedGetScale', error.message)
    const message = `the HPA controller was unable to get the target's current scale: ${error.message}`
    pass.set({ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message })
    throw new PassEnded(error.message)
  }
}

async function read({ client, catalogue }: ScaleDeps, { hpa }: Pass): Promise<TargetScale> {
  const { apiVersion = '', kind, name } = hpa.spec.scaleTargetRef
  const gv = parseApiVersion(apiVersion)
  if (gv === undefined) throw new PassEnded(`unexpected GroupVersion string: ${apiVersion}`)
  const entry = await catalogue.ofKind(gv.group, kind)
  if (entry === undefined) throw new PassEnded(noMatch(gv.group, kind))
  const { group, version, resource } = entry
  const ref = { group, version, resource }
  const scale = await client.get<Scale>({ ...ref, namespace: hpa.metadata.namespace ?? '', name, subresource: 'scale' })
  return { ref, scale, selector: selectorOf(scale) }
}

function selectorOf({ status }: Scale): CompiledLabelSelector | undefined {
  const text = status?.selector ?? ''
  try {
    return text === '' ? undefined : parseLabelSelector(text)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    const cause = `couldn't parse the selector string ${JSON.stringify(text)}: ${error.message}`
    throw new PassEnded(
      `received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse target selector: ${cause}`,
    )
  }
}
