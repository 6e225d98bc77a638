import type { KubeObject } from '../../machinery/object.ts'

/** An object of a test, as in a manifest: only the fields that the test is about. What its kind requires beside them may be missing. */
export const sketch = <T extends KubeObject>(fields: object): T => ({ metadata: {}, ...fields }) as unknown as T
