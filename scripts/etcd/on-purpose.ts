interface OnPurpose {
  readonly story: RegExp
  readonly request: RegExp
  /** Of `differenceOf`. */
  readonly difference: RegExp
  /** As in docs/differences.md. */
  readonly reason: string
}

const ON_PURPOSE: readonly OnPurpose[] = [
  {
    story: /^garbage$/,
    request: /^GET \S+\/configmaps(\?limit=1)?$/,
    difference: /^want 200 , got 500/,
    reason: 'a list is refused as long as it would leave out a value that is no object',
  },
  {
    story: /^garbage$/,
    request: /\/(empty|json-no-kind)$/,
    difference: /, got 500 (what is stored is no object|Object 'Kind' is missing)/,
    reason: 'a value without a kind is no object; kube-apiserver shows one without a name',
  },
  {
    story: /^garbage$/,
    request: /^(PATCH \S+\/yaml|GET \S+\/other-name\?resourceVersion=0)$/,
    difference: /^want 404 .*, got 200/,
    reason: 'an object is found by its key, whatever name is in it',
  },
  {
    story: /^garbage$/,
    request: /configmaps(\/unknown-encryption)?(\?|$)/,
    difference: /, got (429 storage is|500 Internal error occurred: (identity|unable))/,
    reason: 'lists of a resource with values that cannot be decrypted say so at once, and when to try again',
  },
  {
    story: /^garbage$/,
    request: /^GET \/(livez|readyz)\?verbose$/,
    difference: /^want 500 , got 200/,
    reason: 'one value that is no object does not make a server unready: all others would be unready, too',
  },
  {
    story: /^garbage$/,
    request: /^GET \S+\/configmaps$/,
    difference: /^want 429 storage is .*, got 500 illegal/,
    reason: 'the reason is the same at any time; waiting does not help',
  },
  {
    story: /^restored$/,
    request: /./,
    difference: /^want (200 , got 404 |(200|404) .*, got 503 the storage of this server was restored)/,
    reason: 'after a restore no read shows what was lost; until the caches are read again, consistent ones are refused',
  },
  {
    story: /^no-quorum$/,
    request: /resourceVersion=0$/,
    difference: /^want (429|504) .*, got 200 /,
    reason: 'the caches are kept while etcd has no leader: reads of any state go on',
  },
  {
    story: /^no-quorum$/,
    request: /^WATCH \S+ \(opened now\)/,
    difference: /^want 429 .*, got 200 /,
    reason: 'the caches are kept while etcd has no leader: watches can be opened',
  },
  {
    story: /^no-quorum$/,
    request: /^GET \S+\/configmaps$/,
    difference: /^want 429 .*, got 504 /,
    reason: 'a consistent list waits for a leader as long as its time allows, as reads of one object do',
  },
  {
    story: /^no-quorum$/,
    request: /^PATCH /,
    difference: /^want 500 etcdserver: request timed out, got 504 /,
    reason: 'writes of one object wait for each other: the second one is made when there is no leader any more',
  },
  {
    story: /^compacted$/,
    request: /without a watch cache$/,
    difference: /too old\., got 200, 0 events$/,
    reason: 'events are in the watch cache, as all resources are',
  },
  {
    story: /^(killed|paused-20s|no-quorum)$/,
    request: /^GET \/(livez|readyz|healthz)/,
    difference: /^want (200 , got 500|500 , got 200)/,
    reason: 'health checks ask etcd each time; kube-apiserver repeats its last answer for a while',
  },
]

/** Why an answer differs on purpose; undefined: it must not. */
export const reasonOf = (story: string, request: string, difference: string): string | undefined =>
  ON_PURPOSE.find((one) => one.story.test(story) && one.request.test(request) && one.difference.test(difference))?.reason
