import { differences } from './compare.ts'
import { playNode } from './node-story.ts'
import { play } from './play.ts'
import type { Story } from './story.ts'
import { withPod } from './story-kubelet.ts'

export interface StoryResult {
  readonly story: string
  /** Empty: same as the real kubelet. */
  readonly differences: readonly string[]
}

/** Plays stories one after the other; one that cannot be played differs, with the reason. */
export async function playStories(stories: readonly Story[]): Promise<readonly StoryResult[]> {
  const results: StoryResult[] = []
  for (const story of stories) results.push({ story: story.story, differences: await compare(withPod(story, stories)) })
  return results
}

async function compare(story: Story): Promise<readonly string[]> {
  try {
    return story.node === undefined ? differences(story, await play(story)) : await playNode(story)
  } catch (error) {
    return [`${error instanceof Error ? `${error.name}: ${error.message}` : error}`]
  }
}
