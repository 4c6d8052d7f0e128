import warnings

import numpy as np
from lightgbm import LGBMClassifier

from privgate.learners import fit_separation


def test_the_learner_is_lightgbms_classifier_with_the_stated_settings():
    rng = np.random.default_rng(1)
    published, real, asked = (rng.normal(size=(n, 5)) for n in (150, 120, 80))
    classifier = LGBMClassifier(
        n_estimators=100,
        learning_rate=0.1,
        num_leaves=31,
        min_child_samples=20,
        random_state=3,
        n_jobs=1,
        deterministic=True,
        force_row_wise=True,
        verbosity=-1,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(np.concatenate([published, real]), np.repeat([1, 0], [150, 120]))
        expected = classifier.predict_proba(asked)[:, 1]
    assert np.array_equal(fit_separation(published, real, seed=3)(asked), expected)
