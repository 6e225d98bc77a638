import { labelText } from '../cells.ts'
import { define, NAME } from '../define.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import { templateColumns } from '../pod/template-columns.ts'
import type { PodTemplateSpec } from '../pod/types.ts'
import { validatePodTemplate } from '../pod/validation/validate-template.ts'
import { isNewGeneration, templateWarnings } from '../pod/warnings.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { podRules } from './pods/pod-rules.ts'

type PodTemplate = UncheckedObject<core.PodTemplate>

export const podTemplates = define<PodTemplate>({
  group: '',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  singular: 'podtemplate',
  columns: [
    NAME,
    ...templateColumns((o: PodTemplate) => template(o), 0),
    { name: 'Pod Labels', description: 'The labels that pods of the template get.', cell: (o) => labelText(template(o)?.metadata?.labels) },
  ],
  metadataChecks: 'as-update',
  podSpec: (o) => o.template?.spec,
  rules: {
    returnsDeleted: true,
    generation: 'spec',
    defaults: (draft) => {
      draft.template ??= {}
      defaultTemplate(draft.template)
    },
    validateCreate: (o, context) => validatePodTemplate(template(o) ?? {}, 'template', podRules(context)),
    validateUpdate: (o, _old, context) => validatePodTemplate(template(o) ?? {}, 'template', podRules(context)),
    warnings: (o, old) => (isNewGeneration(o, old) ? templateWarnings(template(o), 'template') : []),
  },
})

const template = (o: PodTemplate): PodTemplateSpec | undefined => o.template
