import math

import pytest
from scipy.stats import t

from privgate.stats.cross_validation import fold_mean


def test_by_hand():
    found = fold_mean([0.4, 0.6], level=0.9, n=20)
    reach = t.ppf(0.95, 1) * math.sqrt(0.02 * (1 / 2 + 1))
    assert found.value == 0.5
    assert found.low == pytest.approx(max(0, 0.5 - reach))
    assert found.high == pytest.approx(min(1, 0.5 + reach))


def test_more_folds_that_agree_narrow_the_interval():
    few, many = ([0.6, 0.7] * k for k in (2, 5))
    narrow, wide = fold_mean(many, level=0.95, n=9), fold_mean(few, level=0.95, n=9)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("scores", [[0.5], [], [0.5, 1.2], [0.5, math.nan]])
def test_what_is_no_set_of_fold_scores_is_refused(scores):
    with pytest.raises(ValueError, match="at least 2 folds"):
        fold_mean(scores, level=0.95, n=9)
