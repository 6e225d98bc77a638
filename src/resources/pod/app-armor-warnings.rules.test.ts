import { podTemplates } from '../core/podtemplates.ts'
import { ruleTables } from '../rule-table.contract.ts'

const ANNOTATION = 'template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = runtime/default'
const OLD =
  'warning: template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead'

const MISMATCH =
  'template.spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match'

/** The deprecated annotation of a template: it is silent where a field says the same. */
ruleTables(podTemplates, {
  object: '{metadata: {name: x}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: main, image: app}]}}}',
  create: [
    [ANNOTATION, OLD],
    [`${ANNOTATION} && template.spec.securityContext = {appArmorProfile: {type: RuntimeDefault}}`],
    [`${ANNOTATION} && template.spec.securityContext = {appArmorProfile: {type: Unconfined}}`, MISMATCH],
    [`${ANNOTATION} && template.spec.containers[0].securityContext = {appArmorProfile: {type: Unconfined}}`, MISMATCH],
  ],
})
