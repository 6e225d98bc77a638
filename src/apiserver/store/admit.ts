import { andThen, inOrder, type Later, whenEnded } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { StepType } from '../admission/step-timer.ts'
import type { AdmissionOfWrite } from './admission-of-write.ts'
import { convert } from './conversion.ts'
import { requestVersion, type Write } from './write.ts'

/** Runs the mutating plugins, which change `admission.object`. A plugin refuses by throwing. */
export function runMutating(admission: AdmissionOfWrite): Later<void> {
  return timed(admission, 'admit', mutate)
}

/** Runs the validating plugins. A plugin refuses by throwing. */
export function runValidating(admission: AdmissionOfWrite): Later<void> {
  return timed(admission, 'validate', validate)
}

function mutate(admission: AdmissionOfWrite): Later<void> {
  const { mutating } = phasesOf(admission.write.admission)
  const mutated = inOrder(mutating, (plugin) => (plugin.handles(admission) ? plugin.mutate?.(admission) : undefined))
  return andThen(mutated, () => (admission.isReinvocationRequired ? reinvoke(admission) : undefined))
}

/** All plugins see what policies and webhooks have added: a container also gets its limits and its service account's token. */
function reinvoke(admission: AdmissionOfWrite): Later<void> {
  const again = (plugin: AdmissionPlugin) => (plugin.reinvoke === undefined ? plugin.mutate?.(admission) : plugin.reinvoke(admission))
  return inOrder(phasesOf(admission.write.admission).mutating, (plugin) => (plugin.handles(admission) ? again(plugin) : undefined))
}

function validate(admission: AdmissionOfWrite): Later<void> {
  const { validating } = phasesOf(admission.write.admission)
  return inOrder(validating, (plugin) => (plugin.handles(admission) ? plugin.validate?.(admission) : undefined))
}

function timed(admission: AdmissionOfWrite, type: StepType, run: (admission: AdmissionOfWrite) => Later<void>): Later<void> {
  const { steps } = admission.write
  if (steps === undefined) return run(admission)
  const begun = steps.begin()
  return whenEnded(
    () => run(admission),
    (error) => steps.end(begun, type, admission.operation, error !== undefined),
  )
}

/**
 * An object as admission sees it: in the version of the request, except for the inputs of subresources, which have versions of their own.
 */
export function asAdmitted(write: Write, object: KubeObject): Later<KubeObject> {
  const kind = write.subresource?.kind
  if (kind === 'scale' || kind === 'action' || kind === 'connect') return object
  return convert(write.served.definition, object, requestVersion(write))
}

/** The plugins that implement each phase: few of thirty. */
interface Phases {
  readonly mutating: readonly AdmissionPlugin[]
  readonly validating: readonly AdmissionPlugin[]
}

const phases = new WeakMap<readonly AdmissionPlugin[], Phases>()

function phasesOf(plugins: readonly AdmissionPlugin[]): Phases {
  let found = phases.get(plugins)
  if (found === undefined) {
    found = {
      mutating: plugins.filter((p) => p.mutate !== undefined),
      validating: plugins.filter((p) => p.validate !== undefined),
    }
    phases.set(plugins, found)
  }
  return found
}
