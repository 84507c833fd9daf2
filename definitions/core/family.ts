import type { ConditionStatus, JsonObject } from './resource.ts';

/** A resource that another one has made and answers for. */
export interface ChildRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Id of its workflow. */
  readonly id: string;
  /** How its owner calls it; unique among the children of one owner. */
  readonly key?: string;
  /** Of the manifest that it was last brought to. */
  readonly digest?: string;
  /** The generation that the child got by that; a later one was made by somebody else. */
  readonly generation?: number;
}

/** What an owner wants of one child. */
export interface ChildWish {
  /** How the owner calls it: the name of a component, of a step. */
  readonly key: string;
  /** `apiVersion` may be left out where only one kind has that name; the namespace, where it is the owner's. */
  readonly manifest: JsonObject;
  readonly digest: string;
}

/** Why a wish could not be carried out. All but `Refused` go on by themselves when the obstacle is gone. */
export interface ChildProblem {
  readonly key: string;
  /** Of the wish that could not be carried out. */
  readonly digest: string;
  readonly reason: 'KindUnknown' | 'KindAmbiguous' | 'NotOwned' | 'GoingAway' | 'Refused';
  /** One sentence. */
  readonly message: string;
}

/** What the lane of the children holds: the inventory, oldest first, and what could not be done. */
export interface ChildrenSeen {
  readonly children: readonly ChildRef[];
  readonly problems?: readonly ChildProblem[];
}

/** What a child tells its owner whenever it changes; the owner keeps the newest under the lane `child/<id>`. */
export interface ChildNews {
  /** Id of the child's workflow. */
  readonly id: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly phase: string;
  /** Its condition Ready; Unknown while its generation has not been reached. */
  readonly ready: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** What the owner asked for by the annotation colony.io/tells: `{"status.endpoint": "db:5432"}`; a path that has no value is absent. */
  readonly values?: JsonObject;
  readonly deleting?: true;
  readonly gone?: true;
}
