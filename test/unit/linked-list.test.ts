import { expect, test } from 'vitest';
import { LinkedList, Linked } from '../../src/core/base/linked-list.js';

class Node extends Linked {}

function chainOf(nodes: readonly Node[]): LinkedList<Node> {
  const chain = new LinkedList<Node>();
  for (const node of nodes) {
    chain.push(node);
  }
  return chain;
}

test('what has left a chain keeps none of those that stood beside it', () => {
  const nodes = [new Node(), new Node(), new Node()];
  const [first, second, third] = nodes;
  const chain = chainOf(nodes);

  const deleted = second !== undefined && chain.delete(second);
  const rest = chain.clear();

  expect([deleted, rest]).toEqual([true, [first, third]]);
  for (const node of nodes) {
    expect([node.next, node.previous, node.list]).toEqual([undefined, undefined, undefined]);
  }
});

test('a chain may be walked while the node that the walk stands on is deleted', () => {
  const nodes = [new Node(), new Node(), new Node()];
  const chain = chainOf(nodes);
  const walked: Node[] = [];

  for (const node of chain) {
    walked.push(node);
    chain.delete(node);
  }

  expect(walked).toEqual(nodes);
  expect(chain.first).toBeUndefined();
});

test('what was put in front stays when the node behind it leaves', () => {
  const [second, front] = [new Node(), new Node()];
  const chain = chainOf([second]);

  chain.unshift(front);
  chain.delete(second);

  expect([...chain]).toEqual([front]);
});
