import { defineKind, type ObjectOf, t } from 'bowsprit/sdk'

/** What users write and see; its CustomResourceDefinition and its type follow from here. */
export const Gadget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  spec: t.object({
    replicas: t.integer({ minimum: 0, maximum: 100 }).default(1).describe('How many servers.'),
    message: t.string({ minLength: 1, maxLength: 200 }).describe('What they say.'),
  }),
  status: t.object({
    readyReplicas: t.integer().default(0),
  }),
  printerColumns: [
    { name: 'Replicas', jsonPath: '.spec.replicas', type: 'integer' },
    { name: 'Ready', jsonPath: '.status.readyReplicas', type: 'integer' },
  ],
})

/** One of them, as it is read. */
export type Gadget = ObjectOf<typeof Gadget>
